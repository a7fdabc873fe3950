import { hash } from 'node:crypto'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { foldCase } from './fold-case.ts'
import { type Attempts, createAttempts, createRateLimitStore } from './rate-limit-store.ts'

export const windowMs = 60_000

declare module 'fastify' {
  interface FastifyInstance {
    /** The counters of attempts. */
    attempts: Attempts
  }
}

/** Counts attempts of all replicas in Redis. While it is unavailable, each replica counts by itself. */
const rateLimitsPlugin: FastifyPluginAsync<{ redis: RedisLink }> = async (app, { redis }) => {
  const attempts = createAttempts(redis, app.log)
  app.decorate('attempts', attempts)
  await app.register(rateLimit, { global: false, timeWindow: windowMs, store: createRateLimitStore(attempts) })
}

export const rateLimits = fp(rateLimitsPlugin, { name: 'rate-limits', fastify: '5.x' })

export interface RateLimitRule {
  /** The limited action, for instance `login`. */
  readonly what: string
  /** Attempts per minute, for each client address and for each subject. */
  readonly perMinute: number
  /** Also counts attempts by this subject: an e-mail address or a user. */
  readonly subjectOf?: (request: FastifyRequest) => string | Promise<string>
}

/**
 * Makes the check of a rule. It counts an attempt for the client's IP address (for IPv6, its /64 network). If that is
 * within the limit, it also counts it for the subject. It sets `x-ratelimit-*` from the counter with fewer attempts
 * left.
 *
 * @returns a function that resolves with null, or with the seconds to wait if the limit is exceeded
 */
export function createRateLimit(
  app: FastifyInstance,
  { what, perMinute, subjectOf }: RateLimitRule
): (request: FastifyRequest, reply: FastifyReply) => Promise<number | null> {
  const max = perMinute
  const byAddress = app.createRateLimit({
    max,
    keyGenerator: ({ ip }) => `${what}:ip:${normalizeIP(ip)}`
  })
  const bySubject =
    subjectOf &&
    app.createRateLimit({ max, keyGenerator: async (request) => counterOf(what, await subjectOf(request)) })

  return async (request, reply) => {
    let limit = await byAddress(request)
    if (bySubject !== undefined && !(limit.isAllowed || limit.isExceeded)) {
      const other = await bySubject(request)
      if (!other.isAllowed && !limit.isAllowed && other.remaining <= limit.remaining) limit = other
    }
    if (limit.isAllowed) return null
    const { remaining, ttlInSeconds, isExceeded } = limit
    reply.headers({
      'x-ratelimit-limit': max,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': ttlInSeconds
    })
    return isExceeded ? Math.max(1, ttlInSeconds) : null
  }
}

/** Makes {@link createRateLimit} a hook for `preHandler`, which throws ServiceError `too_many_requests`. */
export function createRateLimitHook(app: FastifyInstance, rule: RateLimitRule) {
  const count = createRateLimit(app, rule)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const retryAfter = await count(request, reply)
    if (retryAfter !== null) throw new ServiceError('too_many_requests', { retryAfter })
  }
}

export type RateLimitHook = ReturnType<typeof createRateLimitHook>

/**
 * Counts an attempt of a subject alone, and not of a client address.
 *
 * @param subject see {@link counterOf}
 * @returns null, or the seconds to wait if this is more than `max` attempts in the window
 */
export async function countForSubject(
  app: Pick<FastifyInstance, 'attempts'>,
  { what, max, windowMs: window }: { readonly what: string; readonly max: number; readonly windowMs: number },
  subject: string
): Promise<number | null> {
  const { attempts, leftMs } = await app.attempts.count(counterOf(what, subject), window)
  return attempts > max ? Math.max(1, Math.ceil(leftMs / 1000)) : null
}

/**
 * The name of a subject's counter. Operators can see names in Redis, so the subject is hashed there. Case does not
 * count.
 */
export const counterOf = (what: string, subject: string): string =>
  `${what}:by:${hash('sha256', foldCase(subject.trim()), 'hex')}`

/** A client's network: /24 of IPv4, /48 of IPv6, which providers give to one customer. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bits = address.kind() === 'ipv4' ? 24 : 48
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes)}/${bits}`
}
