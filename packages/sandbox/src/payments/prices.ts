import type { FastifyInstance } from 'fastify'
import type Stripe from 'stripe'
import { previousAttributes } from './changes.ts'
import { findReference, findResource } from './find.ts'
import type { Api } from './http/api.ts'
import { listPage } from './http/list-page.ts'
import { fields, flag, integer, oneOf, optional, paging, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { newId, type Wire, type WirePrice, type WireProduct } from './wire.ts'

export function registerPrices(app: FastifyInstance, api: Api): void {
  registerReads(app, api)
  registerChanges(app, api)
}

function registerReads(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/prices',
    params: paging,
    run: ({ objects }, page) => listPage(objects.list('price'), page, 'price', '/v1/prices')
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/prices/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'price', id)
  })
}

function registerChanges(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/prices',
    params: {
      product: text,
      currency: text,
      unit_amount: integer,
      recurring: optional(fields({ interval: oneOf('month', 'year') }))
    },
    run(context, { product, currency, unit_amount, recurring }) {
      findReference(context, 'product', product, 'product')
      const price = newPrice(
        { product, currency: currency.toLowerCase(), unitAmount: unit_amount, interval: recurring?.interval ?? null },
        context.clock.nowS()
      )
      context.objects.put('price', price)
      context.emit('price.created', price)
      return price
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/prices/:id',
    params: { active: optional(flag) },
    run(context, values, id) {
      const price = findResource(context, 'price', id)
      const changed: WirePrice = { ...price, ...values }
      context.objects.put('price', changed)
      context.emit('price.updated', changed, previousAttributes(price, changed))
      return changed
    }
  })
}

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

export function newProduct(id: string, name: string, nowS: number): WireProduct {
  return {
    id,
    object: 'product',
    active: true,
    created: nowS,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: nowS,
    url: null
  }
}
