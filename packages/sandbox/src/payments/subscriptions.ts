import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { cancelSubscription, setCancelAtPeriodEnd } from './cancel-subscription.ts'
import { changeSubscription } from './changes.ts'
import type { PaymentsContext } from './context.ts'
import { cardDeclined, invalidRequest } from './errors.ts'
import {
  checkListedCustomer,
  findCustomer,
  findRecurringPrice,
  findReference,
  findResource,
  mergeMetadata
} from './find.ts'
import type { Api } from './http/api.ts'
import { isWithin, listPage } from './http/list-page.ts'
import {
  clearable,
  fields,
  flag,
  integer,
  list,
  metadata,
  oneOf,
  optional,
  paging,
  range,
  text
} from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { subscribe } from './new-subscription.ts'
import { recurTogether } from './periods.ts'
import { creditUnusedTime, switchItems } from './plan-switch.ts'
import type { WireSubscription } from './wire.ts'

const status = oneOf(
  'active',
  'all',
  'canceled',
  'ended',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid'
)

const CreateParams = fields({
  customer: text,
  items: list(fields({ price: text, quantity: optional(integer), metadata })),
  default_payment_method: optional(text),
  payment_behavior: optional(oneOf('allow_incomplete', 'default_incomplete', 'error_if_incomplete')),
  description: optional(text),
  trial_period_days: optional(integer),
  off_session: optional(flag),
  metadata
})

const UpdateParams = fields({
  items: optional(
    list(
      fields({
        id: optional(text),
        price: optional(text),
        quantity: optional(integer),
        deleted: optional(flag),
        metadata
      })
    )
  ),
  proration_behavior: optional(oneOf('create_prorations', 'always_invoice', 'none')),
  payment_behavior: optional(oneOf('allow_incomplete', 'error_if_incomplete')),
  cancel_at_period_end: optional(flag),
  cancel_at: clearable(integer),
  default_payment_method: optional(text),
  description: clearable(text),
  metadata
})

export function registerSubscriptions(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/subscriptions',
    params: CreateParams.properties,
    run: createSubscription
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/subscriptions',
    params: { ...paging, customer: optional(text), status: optional(status), price: optional(text), created: range },
    run(context, { customer, status, price, created, ...page }) {
      checkListedCustomer(context, customer)
      const subscriptions = context.objects
        .list('subscription', customer)
        .filter((subscription) => hasStatus(subscription, status))
        .filter(({ items }) => price === undefined || items.data.some((item) => item.price.id === price))
        .filter((subscription) => isWithin(subscription.created, created))
      return listPage(subscriptions, page, 'subscription', '/v1/subscriptions')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/subscriptions/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'subscription', id)
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/subscriptions/:id',
    params: UpdateParams.properties,
    run: updateSubscription
  })

  registerCall(app, api, {
    method: 'DELETE',
    url: '/v1/subscriptions/:id',
    params: { invoice_now: optional(flag), prorate: optional(flag) },
    run(context, { invoice_now, prorate }, id) {
      const subscription = findResource(context, 'subscription', id)
      refuseEnded(subscription)
      const ended = cancelSubscription(
        context,
        { ...subscription, cancel_at_period_end: false, cancel_at: null },
        'cancellation_requested'
      )
      // Only a paid period has a credit.
      if (prorate === true && invoice_now === true && subscription.status === 'active') creditUnusedTime(context, ended)
      return ended
    }
  })
}

/** Without a status, all except canceled subscriptions match. */
function hasStatus(subscription: WireSubscription, wanted: Static<typeof status> | undefined): boolean {
  const isEnded = subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
  if (wanted === undefined) return subscription.status !== 'canceled'
  if (wanted === 'all') return true
  return wanted === 'ended' ? isEnded : subscription.status === wanted
}

function createSubscription(context: PaymentsContext, params: Static<typeof CreateParams>): WireSubscription {
  const customer = findCustomer(context, params.customer)
  if (params.items.length === 0)
    throw invalidRequest('Missing required param: items.', { code: 'parameter_missing', param: 'items' })
  const items = params.items.map(({ price, quantity, metadata }, index) => ({
    price: findRecurringPrice(context, price, `items[${index}][price]`),
    quantity: quantity ?? 1,
    metadata: mergeMetadata(null, metadata)
  }))
  if (!recurTogether(items.map(({ price }) => price))) {
    throw invalidRequest('Currently, all prices of a subscription must have the same interval.', { param: 'items' })
  }
  const chosen = params.default_payment_method
  if (chosen !== undefined) findReference(context, 'payment_method', chosen, 'default_payment_method')
  const isLater = params.payment_behavior === 'default_incomplete'
  const hasCard = chosen !== undefined || customer.invoice_settings.default_payment_method !== null
  if (!hasCard && !isLater && !params.trial_period_days) {
    throw invalidRequest(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      { code: 'resource_missing' }
    )
  }
  const { subscription } = subscribe(context, {
    customer: customer.id,
    items,
    metadata: mergeMetadata(null, params.metadata),
    description: params.description ?? null,
    defaultPaymentMethod: chosen ?? null,
    trialDays: params.trial_period_days ?? 0,
    firstPayment: isLater ? 'later' : 'charge'
  })
  if (subscription.status === 'incomplete' && params.payment_behavior === 'error_if_incomplete') {
    throw cardDeclined('Your card was declined.', 'generic_decline')
  }
  return subscription
}

function updateSubscription(
  context: PaymentsContext,
  params: Static<typeof UpdateParams>,
  id: string
): WireSubscription {
  let subscription = findResource(context, 'subscription', id)
  refuseEnded(subscription)
  if (params.default_payment_method !== undefined) {
    findReference(context, 'payment_method', params.default_payment_method, 'default_payment_method')
  }
  subscription = changeSubscription(context, subscription, {
    ...(params.metadata !== undefined && { metadata: mergeMetadata(subscription.metadata, params.metadata) }),
    ...(params.description !== undefined && { description: params.description }),
    ...(params.default_payment_method !== undefined && { default_payment_method: params.default_payment_method })
  })
  if (params.items !== undefined) {
    const wanted = params.items.map((item, index) => readItem(context, subscription, item, index))
    subscription = switchItems(context, subscription, wanted, {
      proration: params.proration_behavior ?? 'create_prorations',
      failsIfUnpaid: params.payment_behavior === 'error_if_incomplete'
    })
  }
  if (params.cancel_at_period_end !== undefined && params.cancel_at_period_end !== subscription.cancel_at_period_end) {
    subscription = setCancelAtPeriodEnd(context, subscription, params.cancel_at_period_end)
  }
  if (params.cancel_at !== undefined) {
    const { cancel_at } = params
    subscription = changeSubscription(context, subscription, {
      cancel_at,
      cancel_at_period_end: false,
      canceled_at: cancel_at === null ? null : context.clock.nowS()
    })
  }
  return subscription
}

function readItem(
  context: PaymentsContext,
  subscription: WireSubscription,
  { id, price, quantity, deleted, metadata }: NonNullable<Static<typeof UpdateParams>['items']>[number],
  index: number
) {
  if (id !== undefined && !subscription.items.data.some((item) => item.id === id)) {
    throw invalidRequest(`No such subscription item: '${id}'`, {
      code: 'resource_missing',
      param: `items[${index}][id]`
    })
  }
  if (id === undefined && price === undefined) {
    throw invalidRequest(`Missing required param: items[${index}][price].`, {
      code: 'parameter_missing',
      param: `items[${index}][price]`
    })
  }
  return {
    id: id ?? null,
    price: price === undefined ? null : findRecurringPrice(context, price, `items[${index}][price]`),
    quantity: quantity ?? null,
    isDeleted: deleted ?? false,
    ...(metadata !== undefined && { metadata: mergeMetadata(null, metadata) })
  }
}

function refuseEnded({ id, status }: WireSubscription): void {
  if (status === 'canceled' || status === 'incomplete_expired') {
    throw invalidRequest(`No such subscription: '${id}'`, { code: 'resource_missing', param: 'id' })
  }
}
