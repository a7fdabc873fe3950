import type { FastifyInstance } from 'fastify'
import { cancelSubscription, setCancelAtPeriodEnd } from '../cancel-subscription.ts'
import { attachCard, checkCard, setDefaultPaymentMethod } from '../cards.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { parseForm } from '../http/read-params.ts'
import { type Proration, switchItems } from '../plan-switch.ts'
import type { WirePrice, WireSubscription } from '../wire.ts'
import { emptyCard, problemOf, readCardForm, textOf } from './checkout-pages.ts'
import { type Problem, sendPage } from './layout.ts'
import {
  afterCompletion,
  findVisit,
  onSubscription,
  onVisit,
  openPortal,
  pricesToSwitch,
  priceToConfirm,
  sendVisitEnded,
  startPath,
  type Visit
} from './portal-visit.ts'
import { renderCancel, renderChangeCard, renderConfirm, renderPortalHome, renderSwitch } from './render-portal.ts'

/** The customer portal. Its link works once; then the paths of its pages contain a secret of the visit. */
export function registerPortalPages(app: FastifyInstance, api: Api): void {
  const { context } = api
  const { objects, settings, clock } = context

  app.get('/p/session/:link', async (request, reply) => {
    const base = openPortal(context, (request.params as { link: string }).link)
    const visit = base === null ? null : findVisit(context, base.slice('/p/'.length))
    if (base === null || visit === null) return sendVisitEnded(reply, settings.businessName)
    return reply.redirect(startPath(base, visit.session), 303)
  })

  app.get(
    '/p/:visit',
    onVisit(api, null, ({ view, customer, configuration }, _request, reply) => {
      const subscriptions = objects.list('subscription', customer.id).filter(({ ended_at }) => ended_at === null)
      const paymentMethod =
        customer.invoice_settings.default_payment_method ?? subscriptions[0]?.default_payment_method ?? ''
      const home = renderPortalHome(view, {
        headline: configuration.business_profile.headline,
        email: customer.email,
        subscriptions,
        paymentMethod: objects.get('payment_method', paymentMethod),
        invoices: objects.list('invoice', customer.id)
      })
      return sendPage(reply, home)
    })
  )

  app.get(
    '/p/:visit/card',
    onVisit(api, 'payment_method_update', ({ view }, _request, reply) =>
      sendPage(reply, renderChangeCard(view, emptyCard, null))
    )
  )

  app.post(
    '/p/:visit/card',
    onVisit(api, 'payment_method_update', (visit, request, reply) => {
      const form = readCardForm(parseForm(String(request.body ?? '')))
      try {
        changeInTransaction(api, () => {
          const card = checkCard(form, clock.nowS())
          const paymentMethod = attachCard(context, visit.customer, card, form.name)
          setDefaultPaymentMethod(context, visit.customer, paymentMethod)
        })
      } catch (error) {
        return sendPage(reply.code(402), renderChangeCard(visit.view, form, problemOf(error)))
      }
      return reply.redirect(afterCompletion(visit), 303)
    })
  )

  registerPortalPlanPages(app, api)
}

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
function registerPortalPlanPages(app: FastifyInstance, api: Api): void {
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
