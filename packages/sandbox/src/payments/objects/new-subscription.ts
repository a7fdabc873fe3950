import type { Metadata, WirePrice, WireSubscription, WireSubscriptionItem } from '../wire.ts'
import { newId } from './new-id.ts'
import { planOf } from './new-price.ts'

export interface SubscriptionDetails {
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
export function newSubscription(details: SubscriptionDetails, nowS: number): WireSubscription {
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
