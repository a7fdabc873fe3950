import type { PaymentsContext } from '../context.ts'
import { newInvoice } from '../objects/new-invoice.ts'
import { newInvoiceLine } from '../objects/new-invoice-line.ts'
import type { WireInvoice, WireInvoiceLine, WireSubscription, WireSubscriptionItem } from '../wire.ts'
import { describeItem } from './describe.ts'
import { currentPeriodEnd } from './due.ts'
import { periodEnd } from './period.ts'
import { recurrenceOf } from './recurrence.ts'

/** Stripe finalizes a renewal's invoice, and charges it, about an hour after it created it. */
const untilChargeS = 3600

/** A renewal that is not stored yet. */
export interface Renewal {
  /** When it happens, in Unix seconds. */
  readonly at: number
  readonly items: WireSubscriptionItem[]
  readonly lines: Omit<WireInvoiceLine, 'invoice'>[]
  /** Of the period that ends. */
  readonly periodStart: number
}

/** Whether a subscription will be renewed, as far as is known now. */
export function renews(subscription: WireSubscription): boolean {
  const { status, cancel_at: cancelAt } = subscription
  if (status !== 'active' && status !== 'trialing' && status !== 'past_due') return false
  return cancelAt === null || cancelAt > currentPeriodEnd(subscription)
}

/** Computes the next renewal of a subscription. It includes what plan switches left to charge. */
export function nextRenewal(context: PaymentsContext, subscription: WireSubscription): Renewal {
  const at = currentPeriodEnd(subscription)
  const items = subscription.items.data.map((item) => nextPeriod(item, subscription.billing_cycle_anchor, at))
  const pending = context.objects.get('pending_lines', subscription.id)?.lines ?? []
  const lines = items.map((item) =>
    newInvoiceLine({
      item,
      amount: (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
      description: describeItem(context, item),
      period: { start: item.current_period_start, end: item.current_period_end },
      isProration: false
    })
  )
  const periodStart = Math.min(...subscription.items.data.map((item) => item.current_period_start))
  return { at, items, lines: [...pending, ...lines], periodStart }
}

/** The invoice that the next renewal will create, as Stripe previews it. Nothing is stored. */
export function previewInvoice(context: PaymentsContext, subscription: WireSubscription): WireInvoice {
  const customer = context.objects.get('customer', subscription.customer)
  if (customer === null) throw new Error(`The customer of ${subscription.id} does not exist.`)
  const { at, lines, periodStart } = nextRenewal(context, subscription)
  const invoice = newInvoice(
    {
      ...{ customer, subscription, lines, periodStart, periodEnd: at },
      ...{ reason: 'subscription_cycle', currency: subscription.currency },
      ...{ accountName: context.settings.businessName, taxPercent: context.settings.taxPercent, pageUrl: '' }
    },
    at
  )
  return {
    ...invoice,
    ...{ id: `upcoming_${invoice.id}`, billing_reason: 'upcoming', status: 'draft', number: null },
    ...{ effective_at: null, hosted_invoice_url: null, invoice_pdf: null, webhooks_delivered_at: null },
    next_payment_attempt: at + untilChargeS,
    status_transitions: { ...invoice.status_transitions, finalized_at: null }
  }
}

function nextPeriod(item: WireSubscriptionItem, anchorS: number, startS: number): WireSubscriptionItem {
  const recurrence = recurrenceOf(item.price)
  if (recurrence === null) throw new Error(`${item.price.id} does not recur.`)
  return {
    ...item,
    current_period_start: startS,
    current_period_end: periodEnd(anchorS, startS, recurrence)
  }
}
