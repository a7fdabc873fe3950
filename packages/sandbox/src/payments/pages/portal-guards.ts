import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api } from '../http/api.ts'
import type { WireSubscription } from '../wire.ts'
import { sendNotice } from './layout.ts'
import { findOwnSubscription, findVisit, type Visit } from './portal-visit.ts'

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
