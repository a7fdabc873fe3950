import { changeSubscription } from './changes.ts'
import { collectInvoice, markPaid } from './collect-invoice.ts'
import type { PaymentsContext } from './context.ts'
import { createInvoice, newInvoiceLine } from './new-invoice.ts'
import { describeItem, periodEnd, productName, recurrenceOf } from './periods.ts'
import { planOf } from './prices.ts'
import {
  type Metadata,
  newId,
  type WireInvoice,
  type WirePrice,
  type WireSubscription,
  type WireSubscriptionItem
} from './wire.ts'

export interface SubscribeOrder {
  customer: string
  items: readonly { price: WirePrice; quantity: number; metadata?: Metadata }[]
  metadata: Metadata
  description: string | null
  defaultPaymentMethod: string | null
  /** 0: no trial. */
  trialDays: number
  /** `paid`: the customer has just paid. `charge`: charge the card now. `later`: not paid yet. */
  firstPayment: 'paid' | 'charge' | 'later'
}

const dayS = 86_400

/** Creates a subscription with its first invoice. It stays `incomplete` until the invoice is paid. */
export function subscribe(
  context: PaymentsContext,
  order: SubscribeOrder
): { subscription: WireSubscription; invoice: WireInvoice } {
  const nowS = context.clock.nowS()
  const trialEnd = order.trialDays > 0 ? nowS + order.trialDays * dayS : null
  const created = newSubscription({ ...order, trialEnd, periodEnd: trialEnd ?? firstPeriodEnd(order, nowS) }, nowS)
  const subscription: WireSubscription = trialEnd === null ? created : { ...created, status: 'trialing' }
  context.objects.put('subscription', subscription)
  context.emit('customer.subscription.created', subscription)
  const lines = subscription.items.data.map((item) => lineOf(context, item, trialEnd !== null))
  const open = createInvoice(context, {
    subscription,
    reason: 'subscription_create',
    lines,
    periodStart: nowS,
    periodEnd: nowS
  })
  const invoiced = changeSubscription(context, subscription, { latest_invoice: open.id })
  if (order.firstPayment === 'later' && open.amount_due > 0) return { subscription: invoiced, invoice: open }
  if (order.firstPayment === 'charge') {
    const invoice = collectInvoice(context, open)
    return { subscription: context.objects.get('subscription', invoiced.id) ?? invoiced, invoice }
  }
  const invoice = markPaid(context, open)
  if (trialEnd !== null) return { subscription: invoiced, invoice }
  return { subscription: changeSubscription(context, invoiced, { status: 'active' }), invoice }
}

function firstPeriodEnd({ items }: SubscribeOrder, nowS: number): number {
  const recurrence = items[0] === undefined ? null : recurrenceOf(items[0].price)
  if (recurrence === null) throw new Error('A subscription needs a recurring price.')
  return periodEnd(nowS, nowS, recurrence)
}

function lineOf(context: PaymentsContext, item: WireSubscriptionItem, isTrial: boolean) {
  return newInvoiceLine({
    item,
    amount: isTrial ? 0 : (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
    description: isTrial ? `Trial period for ${productName(context, item.price)}` : describeItem(context, item),
    period: { start: item.current_period_start, end: item.current_period_end },
    isProration: false
  })
}

interface SubscriptionDetails {
  customer: string
  items: readonly { price: WirePrice; quantity: number; metadata?: Metadata }[]
  metadata: Metadata
  description: string | null
  defaultPaymentMethod: string | null
  /** Unix seconds. */
  periodEnd: number
  /** Unix seconds; null: no trial. */
  trialEnd: number | null
}

/** Creates a subscription whose first invoice is unpaid. */
function newSubscription(details: SubscriptionDetails, nowS: number): WireSubscription {
  const id = newId('sub')
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: details.trialEnd ?? nowS,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: nowS,
    currency: details.items[0]?.price.currency ?? 'usd',
    customer: details.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: details.defaultPaymentMethod,
    default_source: null,
    default_tax_rates: [],
    description: details.description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' }
    },
    items: {
      object: 'list',
      data: details.items.map((item) => newItem(id, item, nowS, details.periodEnd)),
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: details.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off'
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: nowS,
    status: 'incomplete',
    test_clock: null,
    transfer_data: null,
    trial_end: details.trialEnd,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: details.trialEnd === null ? null : nowS
  }
}

/** Creates an item of a subscription. Its period is in Unix seconds. */
export function newItem(
  subscription: string,
  { price, quantity, metadata = {} }: SubscriptionDetails['items'][number],
  periodStart: number,
  periodEnd: number
): WireSubscriptionItem {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: periodStart,
    current_period_end: periodEnd,
    current_period_start: periodStart,
    current_trial: null,
    discounts: [],
    metadata,
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: []
  }
}
