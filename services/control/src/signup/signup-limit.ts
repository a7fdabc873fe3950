import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countForSubject, networkOf } from '../http/rate-limit.ts'
import type { SignupSettings } from './signup-settings.ts'

const dayMs = 86_400_000

/** Counts a registration. @throws ServiceError `too_many_requests` */
export type CountSignup = (request: FastifyRequest) => Promise<void>

/**
 * Limits the registrations of 24 hours, from the first one on: those from each network, and all. What the first limit refuses does
 * not count for the second. It counts every attempt in the same way, also for an address that is registered.
 */
export function createSignupLimit(
  app: Pick<FastifyInstance, 'attempts'>,
  { perNetworkDay, perDay }: Pick<SignupSettings, 'perNetworkDay' | 'perDay'>
): CountSignup {
  const ofNetwork = { what: 'signups-of-network', max: perNetworkDay, windowMs: dayMs }
  const ofAll = { what: 'signups', max: perDay, windowMs: dayMs }
  return async (request) => {
    const ownWait = await countForSubject(app, ofNetwork, networkOf(request.ip))
    if (ownWait !== null) throw refusal('from your network', ownWait)
    const wait = await countForSubject(app, ofAll, 'all')
    if (wait === null) return
    request.log.warn({ perDay }, 'registrations are refused: SIGNUPS_PER_DAY is reached')
    throw refusal('here', wait)
  }
}

function refusal(where: string, seconds: number): ServiceError {
  const hours = Math.max(1, Math.ceil(seconds / 3600))
  return new ServiceError('too_many_requests', {
    message: `Too many people have registered ${where} today. Try again in ${hours} h.`,
    retryAfter: seconds
  })
}
