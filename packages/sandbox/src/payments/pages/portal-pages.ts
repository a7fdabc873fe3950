import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inTransaction } from '../../open-sqlite.ts'
import { attachCard, useForEverything } from '../billing/attach-card.ts'
import { cancelSubscription, setCancelAtPeriodEnd } from '../billing/cancel-subscription.ts'
import { checkCard } from '../billing/check-card.ts'
import { type Proration, switchItems } from '../billing/switch-items.ts'
import type { Api } from '../http/api.ts'
import { parseForm } from '../http/parse-form.ts'
import type { WireSubscription } from '../wire.ts'
import { emptyCard, problemOf, readCardForm, textOf } from './card-form.ts'
import { sendNotice, sendPage } from './layout.ts'
import {
  afterCompletion,
  findOwnSubscription,
  findVisit,
  openPortal,
  pricesToSwitch,
  startPath,
  type Visit
} from './portal-visit.ts'
import { renderCancel, renderChangeCard, renderPortalHome, renderSwitch } from './render-portal.ts'

type Feature = 'payment_method_update' | 'subscription_cancel' | 'subscription_update'

interface PathParams {
  visit: string
  id: string
}

/** The customer portal. The address that the API gives opens it once; its pages are found by a secret of the visit. */
export function registerPortalPages(app: FastifyInstance, api: Api): void {
  const { context } = api
  const { objects, database, settings, clock } = context

  app.get('/p/session/:link', async (request, reply) => {
    const base = openPortal(context, (request.params as { link: string }).link)
    const visit = base === null ? null : findVisit(context, base.slice('/p/'.length))
    if (base === null || visit === null) return sendOver(reply, settings.businessName)
    return reply.redirect(startPath(base, visit.session), 303)
  })

  /** Answers within a visit, if its configuration allows what is needed; null: nothing in particular. */
  const onVisit = (
    needs: Feature | null,
    answer: (visit: Visit, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  ) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      api.catchUp()
      const visit = findVisit(context, (request.params as PathParams).visit)
      if (visit === null) return sendOver(reply, settings.businessName)
      if (needs === null || visit.configuration.features[needs].enabled) return answer(visit, request, reply)
      return sendNotice(reply, settings.businessName, 403, 'Not possible here', 'Please ask us for this change.')
    }
  }

  /** The same about a subscription of the visit's customer. */
  const onSubscription = (
    needs: Feature,
    answer: (visit: Visit, subscription: WireSubscription, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  ) =>
    onVisit(needs, (visit, request, reply) => {
      const subscription = findOwnSubscription(context, visit, (request.params as PathParams).id)
      if (subscription !== null) return answer(visit, subscription, request, reply)
      return sendNotice(reply, settings.businessName, 404, 'No such plan', 'This plan has ended, or never was.')
    })

  const change = (run: () => void) => {
    inTransaction(database, run)
    api.deliver()
  }

  app.get(
    '/p/:visit',
    onVisit(null, ({ view, customer, configuration }, _request, reply) => {
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
    onVisit('payment_method_update', ({ view }, _request, reply) =>
      sendPage(reply, renderChangeCard(view, emptyCard, null))
    )
  )

  app.post(
    '/p/:visit/card',
    onVisit('payment_method_update', (visit, request, reply) => {
      const form = readCardForm(parseForm(String(request.body ?? '')))
      try {
        change(() => {
          const card = checkCard(form, clock.nowS())
          const paymentMethod = attachCard(context, visit.customer, card, form.name)
          useForEverything(context, visit.customer, paymentMethod)
        })
      } catch (error) {
        return sendPage(reply.code(402), renderChangeCard(visit.view, form, problemOf(error)))
      }
      return reply.redirect(afterCompletion(visit), 303)
    })
  )

  app.get(
    '/p/:visit/subscriptions/:id/switch',
    onSubscription('subscription_update', (visit, subscription, _request, reply) => {
      const prices = pricesToSwitch(context, visit, subscription)
      return sendPage(reply, renderSwitch(visit.view, subscription, prices, null))
    })
  )

  app.post(
    '/p/:visit/subscriptions/:id/switch',
    onSubscription('subscription_update', (visit, subscription, request, reply) => {
      const chosen = textOf(parseForm(String(request.body ?? '')), 'price')
      const prices = pricesToSwitch(context, visit, subscription)
      const price = prices.find(({ id }) => id === chosen)
      const [item] = subscription.items.data
      if (price === undefined || item === undefined) {
        const problem = { field: 'price', message: 'Please choose a plan.' }
        return sendPage(reply.code(422), renderSwitch(visit.view, subscription, prices, problem))
      }
      const proration: Proration = visit.configuration.features.subscription_update.proration_behavior
      try {
        change(() => {
          const wanted = [{ id: item.id, price, quantity: null, isDeleted: false }]
          switchItems(context, subscription, wanted, { proration, failsIfUnpaid: true })
        })
      } catch (error) {
        return sendPage(reply.code(402), renderSwitch(visit.view, subscription, prices, problemOf(error)))
      }
      return reply.redirect(afterCompletion(visit), 303)
    })
  )

  app.get(
    '/p/:visit/subscriptions/:id/cancel',
    onSubscription('subscription_cancel', (visit, subscription, _request, reply) =>
      sendPage(reply, renderCancel(visit.view, subscription))
    )
  )

  app.post(
    '/p/:visit/subscriptions/:id/cancel',
    onSubscription('subscription_cancel', (visit, subscription, request, reply) => {
      const isNow = textOf(parseForm(String(request.body ?? '')), 'when') === 'now'
      change(() => {
        if (isNow) cancelSubscription(context, subscription, 'cancellation_requested')
        else setCancelAtPeriodEnd(context, subscription, true)
      })
      return reply.redirect(afterCompletion(visit), 303)
    })
  )

  app.post(
    '/p/:visit/subscriptions/:id/resume',
    onSubscription('subscription_cancel', (visit, subscription, _request, reply) => {
      change(() => setCancelAtPeriodEnd(context, subscription, false))
      return reply.redirect(visit.view.base, 303)
    })
  )
}

function sendOver(reply: FastifyReply, businessName: string): FastifyReply {
  return sendNotice(
    reply,
    businessName,
    410,
    'This page is over',
    'Its address works once and for a short time. Please go back and open it again.'
  )
}
