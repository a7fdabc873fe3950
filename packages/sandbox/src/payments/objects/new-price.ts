import type Stripe from 'stripe'
import type { Wire, WirePrice } from '../wire.ts'
import { newId } from './new-id.ts'

export type Interval = 'month' | 'year'

export interface PriceDetails {
  id?: string
  product: string
  currency: string
  unitAmount: number
  /** null: a one-time price. */
  interval: Interval | null
}

export function newPrice(details: PriceDetails, nowS: number): WirePrice {
  const { interval } = details
  return {
    id: details.id ?? newId('price'),
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: nowS,
    currency: details.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: details.product,
    recurring:
      interval === null
        ? null
        : {
            interval,
            interval_count: 1,
            meter: null,
            trial_period_days: null,
            usage_type: 'licensed'
          },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: interval === null ? 'one_time' : 'recurring',
    unit_amount: details.unitAmount,
    unit_amount_decimal: String(details.unitAmount)
  }
}

/** The older form of a recurring price, which subscription items still contain. */
export function planOf(price: WirePrice): Wire<Stripe.Plan> {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed'
  }
}
