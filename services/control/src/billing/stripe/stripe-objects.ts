import type { Checkout, PaidInvoice, ProviderInvoice, Refund, Subscription, UpcomingCharge } from '../payments.ts'
import {
  type CheckoutAnswer,
  type InvoiceAnswer,
  idOf,
  type PaidInvoiceAnswer,
  type PreviewAnswer,
  type RefundAnswer,
  type SubscriptionAnswer
} from './stripe-answers.ts'

const toDate = (seconds: number): Date => new Date(seconds * 1000)

/** Each item has its own period; the one that ends first counts. */
export function toSubscription(answer: SubscriptionAnswer): Subscription {
  const { items, latest_invoice: invoice } = answer
  const ends = items.data.flatMap(({ current_period_end: end }) => end ?? [])
  const periodEndsAt = ends.length === 0 ? null : toDate(Math.min(...ends))
  return {
    id: answer.id,
    customerId: idOf(answer.customer),
    status: answer.status,
    createdAt: toDate(answer.created),
    priceIds: items.data.map(({ price }) => price.id),
    periodEndsAt,
    // The provider may express a cancellation at the end of the period in two ways.
    cancelAt: answer.cancel_at !== null ? toDate(answer.cancel_at) : answer.cancel_at_period_end ? periodEndsAt : null,
    isUnpaid:
      typeof invoice === 'object' &&
      invoice?.status === 'open' &&
      invoice.attempt_count > 0 &&
      invoice.amount_remaining > 0,
    accountId: answer.metadata.account_id ?? null
  }
}

export function toCheckout(answer: CheckoutAnswer): Checkout {
  const isOpen = answer.status === 'open'
  return {
    id: answer.id,
    isOpen,
    url: isOpen ? (answer.url ?? null) : null,
    expiresAt: toDate(answer.expires_at),
    priceId: answer.metadata?.price_id ?? null
  }
}

export function toInvoice(answer: InvoiceAnswer): ProviderInvoice {
  return {
    id: answer.id,
    number: answer.number ?? null,
    amount: answer.total,
    currency: answer.currency,
    status: answer.status ?? 'draft',
    created: answer.created,
    due: answer.due_date ?? null,
    pdfUrl: answer.invoice_pdf ?? null
  }
}

export function toUpcomingCharge({ amount_due, currency, next_payment_attempt }: PreviewAnswer): UpcomingCharge {
  const at = next_payment_attempt == null ? null : toDate(next_payment_attempt)
  return { amount: amount_due, currency: currency.toLowerCase(), at }
}

/** @returns [] for an invoice without a customer */
export function toPaidInvoice(answer: PaidInvoiceAnswer): PaidInvoice[] {
  const { id, customer, amount_paid, total, total_taxes, currency, billing_reason, created, status_transitions } =
    answer
  if (customer == null) return []
  return [
    {
      id,
      customerId: idOf(customer),
      amount: amount_paid,
      tax: taxIn(
        amount_paid,
        total,
        (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0)
      ),
      currency: currency.toLowerCase(),
      purpose: billing_reason?.startsWith('subscription') ? 'plan' : 'other',
      createdAt: toDate(created),
      paidAt: toDate(status_transitions.paid_at ?? created)
    }
  ]
}

/** @returns [] for a refund without a customer: the customers of plans are never without */
export function toRefund(answer: RefundAnswer): Refund[] {
  const { id, customer, payment_intent: payment, amount, currency, created, status } = answer
  if (customer == null) return []
  return [
    {
      id,
      customerId: idOf(customer),
      paymentId: payment === null ? null : idOf(payment),
      amount,
      currency: currency.toLowerCase(),
      at: toDate(created),
      isSucceeded: status === 'succeeded'
    }
  ]
}

/** The tax in what was paid. Credit pays a part of an invoice: its tax is paid by the same share. */
function taxIn(paid: number, total: number, tax: number): number {
  return total <= 0 ? 0 : Math.round((tax * Math.min(paid, total)) / total)
}
