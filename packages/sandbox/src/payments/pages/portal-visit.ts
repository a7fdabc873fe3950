import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PaymentsContext } from '../context.ts'
import type { Api } from '../http/api.ts'
import type { PortalVisit } from '../object-store.ts'
import { productName } from '../periods.ts'
import type { WireCustomer, WirePortalConfiguration, WirePortalSession, WirePrice, WireSubscription } from '../wire.ts'
import { sendNotice } from './layout.ts'
import type { PortalView } from './render-portal.ts'

/** The lifetime of a visit. */
const visitS = 3_600

/** A customer's visit to the portal. */
export interface Visit {
  session: WirePortalSession
  customer: WireCustomer
  configuration: WirePortalConfiguration
  view: PortalView
}

/**
 * Opens the link of a portal session. It works once, so that a link leaked later, by a browser history or a log, is
 * useless.
 *
 * @returns the path of the visit; null if the link is unknown, used or expired
 */
export function openPortal({ objects, clock }: PaymentsContext, link: string): string | null {
  const stored = objects.get('portal_visit', link)
  if (stored === null || stored.visit !== null || stored.expires_at <= clock.nowS()) return null
  const opened: PortalVisit = { ...stored, visit: randomBase62(40), expires_at: clock.nowS() + visitS }
  objects.put('portal_visit', opened)
  return `/p/${opened.visit}`
}

/** Finds the visit of a page's path; null if it has expired. */
export function findVisit(context: PaymentsContext, visit: string): Visit | null {
  const { objects, clock, settings } = context
  const [stored] = objects.list('portal_visit', visit)
  if (stored === undefined || stored.expires_at <= clock.nowS()) return null
  const { session } = stored
  const customer = objects.get('customer', session.customer)
  const configuration = objects.get('billing_portal.configuration', session.configuration)
  if (customer === null || configuration === null) return null
  return {
    session,
    customer,
    configuration,
    view: {
      businessName: settings.businessName,
      base: `/p/${visit}`,
      returnUrl: session.return_url,
      features: configuration.features,
      nameOf: (price) => productName(context, price)
    }
  }
}

/** The path of a session's first page, which its flow decides. */
export function startPath(base: string, { flow }: WirePortalSession): string {
  if (flow?.type === 'payment_method_update') return `${base}/card`
  if (flow?.subscription_cancel) return `${base}/subscriptions/${flow.subscription_cancel.subscription}/cancel`
  if (flow?.subscription_update) return `${base}/subscriptions/${flow.subscription_update.subscription}/switch`
  if (flow?.subscription_update_confirm) {
    return `${base}/subscriptions/${flow.subscription_update_confirm.subscription}/switch`
  }
  return base
}

/** The URL after a completed change. */
export function afterCompletion({ session, view }: Visit): string {
  return session.flow?.after_completion.redirect?.return_url ?? view.base
}

/** Finds a subscription of the visit's customer that has not ended. */
function findOwnSubscription({ objects }: PaymentsContext, { customer }: Visit, id: string): WireSubscription | null {
  const subscription = objects.get('subscription', id)
  return subscription?.customer === customer.id && subscription.ended_at === null ? subscription : null
}

/** The price that a session only asks to confirm; null if the customer chooses. */
export const priceToConfirm = ({ session }: Visit): string | null =>
  session.flow?.subscription_update_confirm?.items[0]?.price ?? null

/** The prices to switch to: those of the configuration, or else all active prices in the currency. */
export function pricesToSwitch(
  { objects }: PaymentsContext,
  visit: Visit,
  { currency }: WireSubscription
): WirePrice[] {
  const { configuration } = visit
  const wanted = priceToConfirm(visit)
  const sold = configuration.features.subscription_update.products?.flatMap(({ prices }) => prices) ?? []
  return objects
    .list('price')
    .filter(({ id, active }) => (sold.length > 0 ? sold.includes(id) : active))
    .filter(({ id }) => wanted === null || id === wanted)
    .filter((price) => price.recurring !== null && price.currency === currency)
    .sort((a, b) => (a.unit_amount ?? 0) - (b.unit_amount ?? 0))
}

type Feature = 'payment_method_update' | 'subscription_cancel' | 'subscription_update'

interface PathParams {
  visit: string
  id: string
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Wraps a page of the portal. It answers only if the visit is open and its configuration enables the feature. */
export function onVisit(
  api: Api,
  needs: Feature | null,
  answer: (visit: Visit, request: FastifyRequest, reply: FastifyReply) => FastifyReply
): Handler {
  const { context } = api
  const { businessName } = context.settings
  return async (request, reply) => {
    api.catchUp()
    const visit = findVisit(context, (request.params as PathParams).visit)
    if (visit === null) return sendVisitEnded(reply, businessName)
    if (needs === null || visit.configuration.features[needs].enabled) return answer(visit, request, reply)
    return sendNotice(reply, businessName, 403, 'Change not available', 'Please contact us to make this change.')
  }
}

/** Wraps a page about a subscription of the visit's customer, as {@link onVisit} does. */
export function onSubscription(
  api: Api,
  needs: Feature,
  answer: (visit: Visit, subscription: WireSubscription, request: FastifyRequest, reply: FastifyReply) => FastifyReply
): Handler {
  const { context } = api
  return onVisit(api, needs, (visit, request, reply) => {
    const subscription = findOwnSubscription(context, visit, (request.params as PathParams).id)
    if (subscription !== null) return answer(visit, subscription, request, reply)
    const { businessName } = context.settings
    return sendNotice(reply, businessName, 404, 'No such plan', 'You have no active plan at this address.')
  })
}

export function sendVisitEnded(reply: FastifyReply, businessName: string): FastifyReply {
  return sendNotice(
    reply,
    businessName,
    410,
    'This page has expired',
    'The link works once and for a short time. Please go back and open the portal again.'
  )
}
