import type { FastifyInstance } from 'fastify'
import { attachCard, setDefaultPaymentMethod } from '../billing/attach-card.ts'
import { checkCard } from '../billing/check-card.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { parseForm } from '../http/parse-form.ts'
import { emptyCard, problemOf, readCardForm } from './card-form.ts'
import { sendPage } from './layout.ts'
import { onVisit, sendVisitEnded } from './portal-guards.ts'
import { registerPortalPlanPages } from './portal-plan-pages.ts'
import { afterCompletion, findVisit, openPortal, startPath } from './portal-visit.ts'
import { renderChangeCard, renderPortalHome } from './render-portal.ts'

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
