import Stripe from 'stripe'
import type { NewPortal, Payments } from '../payments.ts'
import {
  CheckoutAnswer,
  expectAnswer,
  InvoiceAnswer,
  InvoicePaymentAnswer,
  idOf,
  listOf,
  OpenCheckoutAnswer,
  PaidInvoiceAnswer,
  PortalAnswer,
  PreviewAnswer,
  RefundAnswer,
  SubscriptionItemsAnswer
} from './stripe-answers.ts'
import {
  askOnce,
  guarded,
  guardedIfAllowed,
  isMissing,
  isNothingUpcoming,
  pageSize,
  type StripeClient
} from './stripe-client.ts'
import { toCheckout, toInvoice, toPaidInvoice, toRefund, toUpcomingCharge } from './stripe-objects.ts'

/** Calls about the pages on which people buy and change subscriptions. */
export function checkoutCalls(
  client: StripeClient,
  now: () => number
): Pick<Payments, 'listCheckouts' | 'createCheckout' | 'expireCheckout' | 'createPortal'> {
  return {
    listCheckouts: (customer, signal) =>
      guarded(async () => {
        const answer = await client(signal).checkout.sessions.list({ customer, limit: pageSize })
        return expectAnswer(listOf(CheckoutAnswer), answer).data.map(toCheckout)
      }, customer),

    createCheckout: (checkout, signal) =>
      guarded(async () => {
        const { customerId, accountId, priceId, successUrl, cancelUrl } = checkout
        const session = {
          mode: 'subscription' as const,
          customer: customerId,
          line_items: [{ price: priceId, quantity: 1 }],
          success_url: successUrl,
          cancel_url: cancelUrl,
          client_reference_id: accountId,
          metadata: { account_id: accountId, price_id: priceId },
          subscription_data: { metadata: { account_id: accountId } }
        }
        const asking = { what: 'checkout', of: checkout, signal, now: now() }
        const answer = await askOnce(asking, (idempotencyKey) =>
          client(signal).checkout.sessions.create(session, { idempotencyKey })
        )
        return expectAnswer(OpenCheckoutAnswer, answer).url
      }, checkout.customerId),

    expireCheckout: (id, signal) =>
      guarded(async () => {
        try {
          expectAnswer(CheckoutAnswer, await client(signal).checkout.sessions.expire(id))
          return false
        } catch (error) {
          // It was paid or expired a moment ago.
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
          const checkout = expectAnswer(CheckoutAnswer, await client(signal).checkout.sessions.retrieve(id))
          if (checkout.status === 'open') throw error
          return checkout.status === 'complete'
        }
      }),

    createPortal: ({ customerId: customer, returnUrl, change }, signal) =>
      guarded(async () => {
        const open = async (flow: Stripe.BillingPortal.SessionCreateParams.FlowData | null) => {
          const session = { customer, return_url: returnUrl, ...(flow !== null && { flow_data: flow }) }
          return expectAnswer(PortalAnswer, await client(signal).billingPortal.sessions.create(session)).url
        }
        if (change === null) return open(null)
        try {
          const subscription = await client(signal).subscriptions.retrieve(change.subscriptionId)
          const [item] = expectAnswer(SubscriptionItemsAnswer, subscription).items.data
          return await open(item === undefined ? null : confirmation(change, item.id))
        } catch (error) {
          // The portal's settings do not offer this switch. Its first page shows what it offers.
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
          return await open(null)
        }
      }, customer)
  }
}

/** Calls about invoices, and about what was paid back. */
export function invoiceCalls(
  client: StripeClient
): Pick<Payments, 'listPaidInvoices' | 'listRefunds' | 'findInvoiceOfPayment' | 'previewCharge' | 'listInvoices'> {
  return {
    listPaidInvoices: ({ from, to, after }, signal) =>
      guarded(async () => {
        const created = { gte: toSeconds(from), ...(to !== null && { lte: toSeconds(to) }) }
        const page = {
          status: 'paid' as const,
          created,
          limit: pageSize,
          ...(after !== null && { starting_after: after })
        }
        const { data, has_more } = expectAnswer(listOf(PaidInvoiceAnswer), await client(signal).invoices.list(page))
        return { invoices: data.flatMap(toPaidInvoice), last: data.at(-1)?.id ?? null, hasMore: has_more }
      }),

    listRefunds: ({ from, after }, signal) =>
      guardedIfAllowed(async () => {
        const page = {
          created: { gte: toSeconds(from) },
          limit: pageSize,
          ...(after !== null && { starting_after: after })
        }
        const { data, has_more } = expectAnswer(listOf(RefundAnswer), await client(signal).refunds.list(page))
        return { refunds: data.flatMap(toRefund), last: data.at(-1)?.id ?? null, hasMore: has_more }
      }),

    findInvoiceOfPayment: (id, signal) =>
      guardedIfAllowed(async () => {
        const payment = { type: 'payment_intent', payment_intent: id } as const
        const answer = await client(signal).invoicePayments.list({ payment, limit: 1 })
        const [paid] = expectAnswer(listOf(InvoicePaymentAnswer), answer).data
        return paid === undefined ? null : idOf(paid.invoice)
      }),

    previewCharge: ({ customerId: customer, subscriptionId: subscription }, signal) =>
      guarded(async () => {
        try {
          const answer = await client(signal).invoices.createPreview({ customer, subscription })
          return toUpcomingCharge(expectAnswer(PreviewAnswer, answer))
        } catch (error) {
          if (isNothingUpcoming(error)) return null
          throw error
        }
      }),

    listInvoices: (customer, { size, after }, signal) =>
      guarded(async () => {
        try {
          const page = { customer, limit: size, ...(after !== null && { starting_after: after }) }
          const answer = await client(signal).invoices.list(page)
          const { data, has_more } = expectAnswer(listOf(InvoiceAnswer), answer)
          return { invoices: data.map(toInvoice), hasMore: has_more }
        } catch (error) {
          if (isMissing(error, 'starting_after')) return null
          throw error
        }
      }, customer)
  }
}

function confirmation(
  { subscriptionId, priceId, doneUrl }: NonNullable<NewPortal['change']>,
  itemId: string
): Stripe.BillingPortal.SessionCreateParams.FlowData {
  const items = [{ id: itemId, price: priceId, quantity: 1 }]
  return {
    type: 'subscription_update_confirm',
    subscription_update_confirm: { subscription: subscriptionId, items },
    after_completion: { type: 'redirect', redirect: { return_url: doneUrl } }
  }
}

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)
