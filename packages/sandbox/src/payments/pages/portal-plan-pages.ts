import type { FastifyInstance } from 'fastify'
import { cancelSubscription, setCancelAtPeriodEnd } from '../billing/cancel-subscription.ts'
import { type Proration, switchItems } from '../billing/switch-items.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { parseForm } from '../http/parse-form.ts'
import type { WirePrice, WireSubscription } from '../wire.ts'
import { problemOf, textOf } from './card-form.ts'
import type { Problem } from './field.ts'
import { sendPage } from './layout.ts'
import { onSubscription } from './portal-guards.ts'
import { afterCompletion, pricesToSwitch, priceToConfirm, type Visit } from './portal-visit.ts'
import { renderCancel, renderConfirm, renderSwitch } from './render-portal.ts'

/** The page on which the customer chooses a price, or confirms the one of the session. */
function render(
  visit: Visit,
  subscription: WireSubscription,
  prices: readonly WirePrice[],
  problem: Problem | null
): string {
  const [price] = prices
  return priceToConfirm(visit) !== null && price !== undefined
    ? renderConfirm(visit.view, price, problem)
    : renderSwitch(visit.view, subscription, prices, problem)
}

/** The portal's pages that switch, cancel and resume a plan. */
export function registerPortalPlanPages(app: FastifyInstance, api: Api): void {
  const { context } = api

  app.get(
    '/p/:visit/subscriptions/:id/switch',
    onSubscription(api, 'subscription_update', (visit, subscription, _request, reply) => {
      const prices = pricesToSwitch(context, visit, subscription)
      return sendPage(reply, render(visit, subscription, prices, null))
    })
  )

  app.post(
    '/p/:visit/subscriptions/:id/switch',
    onSubscription(api, 'subscription_update', (visit, subscription, request, reply) => {
      const chosen = textOf(parseForm(String(request.body ?? '')), 'price')
      const prices = pricesToSwitch(context, visit, subscription)
      const price = prices.find(({ id }) => id === chosen)
      const [item] = subscription.items.data
      if (price === undefined || item === undefined) {
        const problem = { field: 'price', message: 'Please choose a plan.' }
        return sendPage(reply.code(422), render(visit, subscription, prices, problem))
      }
      const proration: Proration = visit.configuration.features.subscription_update.proration_behavior
      try {
        changeInTransaction(api, () => {
          const wanted = [{ id: item.id, price, quantity: null, isDeleted: false }]
          switchItems(context, subscription, wanted, { proration, failsIfUnpaid: true })
        })
      } catch (error) {
        return sendPage(reply.code(402), render(visit, subscription, prices, problemOf(error)))
      }
      return reply.redirect(afterCompletion(visit), 303)
    })
  )

  app.get(
    '/p/:visit/subscriptions/:id/cancel',
    onSubscription(api, 'subscription_cancel', (visit, subscription, _request, reply) =>
      sendPage(reply, renderCancel(visit.view, subscription))
    )
  )

  app.post(
    '/p/:visit/subscriptions/:id/cancel',
    onSubscription(api, 'subscription_cancel', (visit, subscription, request, reply) => {
      const isNow = textOf(parseForm(String(request.body ?? '')), 'when') === 'now'
      changeInTransaction(api, () => {
        if (isNow) cancelSubscription(context, subscription, 'cancellation_requested')
        else setCancelAtPeriodEnd(context, subscription, true)
      })
      return reply.redirect(afterCompletion(visit), 303)
    })
  )

  app.post(
    '/p/:visit/subscriptions/:id/resume',
    onSubscription(api, 'subscription_cancel', (visit, subscription, _request, reply) => {
      changeInTransaction(api, () => setCancelAtPeriodEnd(context, subscription, false))
      return reply.redirect(visit.view.base, 303)
    })
  )
}
