import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { SignupSettings } from './signup-settings.ts'

const dayMs = 86_400_000

/** Counts a registration. @throws ServiceError `too_many_requests` */
export type CountSignup = (request: FastifyRequest) => Promise<void>

/**
 * Limits the registrations of 24 hours, from the first one on: those from each network, and all. What the first limit refuses does
 * not count for the second. It counts every attempt in the same way, also for an address that is registered.
 */
export function createSignupLimit(
  app: FastifyInstance,
  { perNetworkDay, perDay }: Pick<SignupSettings, 'perNetworkDay' | 'perDay'>
): CountSignup {
  const ofNetwork = app.createRateLimit({
    max: perNetworkDay,
    timeWindow: dayMs,
    keyGenerator: ({ ip }) => `signup:network:${networkOf(ip)}`
  })
  const ofAll = app.createRateLimit({ max: perDay, timeWindow: dayMs, keyGenerator: () => 'signup:all' })
  return async (request) => {
    const own = await ofNetwork(request)
    if (!own.isAllowed && own.isExceeded) throw refusal('from your network', own.ttlInSeconds)
    const all = await ofAll(request)
    if (all.isAllowed || !all.isExceeded) return
    request.log.warn({ perDay }, 'registrations are refused: SIGNUPS_PER_DAY is reached')
    throw refusal('here', all.ttlInSeconds)
  }
}

function refusal(where: string, seconds: number): ServiceError {
  const hours = Math.max(1, Math.ceil(seconds / 3600))
  return new ServiceError('too_many_requests', {
    message: `Too many people have registered ${where} today. Try again in ${hours} h.`,
    retryAfter: Math.max(1, seconds)
  })
}

/** A client's network: /24 of IPv4, /48 of IPv6, which providers give to one customer. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bits = address.kind() === 'ipv4' ? 24 : 48
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes)}/${bits}`
}
