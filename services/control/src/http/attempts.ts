import { hash } from 'node:crypto'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createAttemptStore } from './attempt-store.ts'
import { foldCase } from './fold-case.ts'

export const windowMs = 60_000

/** Counts attempts in Redis for all replicas together; while it is away, each replica counts for itself. */
const attemptsPlugin: FastifyPluginAsync<{ redis: RedisLink }> = async (app, { redis }) => {
  await app.register(rateLimit, { global: false, timeWindow: windowMs, store: createAttemptStore(redis, app.log) })
}

export const attempts = fp(attemptsPlugin, { name: 'attempts', fastify: '5.x' })

export type AttemptRule = {
  /** What is limited, for instance `login`. */
  readonly what: string
  /** Attempts a minute, of one client address and of one subject each. */
  readonly perMinute: number
  /** Whose attempts besides the client's are counted: an e-mail address, a user. */
  readonly subjectOf?: (request: FastifyRequest) => string | Promise<string>
}

/**
 * Makes the check of a rule. It counts an attempt, first of the client's IP address (of IPv6 its /64 network) and, if that
 * is within the limit, of the subject; it sets `x-ratelimit-*` to what is nearer to its end.
 *
 * @returns a function that resolves with null, or with the seconds to wait if this attempt is one too many
 */
export function attemptLimit(
  app: FastifyInstance,
  { what, perMinute, subjectOf }: AttemptRule
): (request: FastifyRequest, reply: FastifyReply) => Promise<number | null> {
  const max = perMinute
  const byAddress = app.createRateLimit({
    max,
    keyGenerator: ({ ip }) => `${what}:ip:${normalizeIP(ip)}`
  })
  // Names in Redis outlive requests and are seen by operators: people are not told apart by their addresses there.
  const bySubject =
    subjectOf &&
    app.createRateLimit({
      max,
      keyGenerator: async (request) =>
        `${what}:by:${hash('sha256', foldCase((await subjectOf(request)).trim()), 'hex')}`
    })

  return async (request, reply) => {
    let shown = await byAddress(request)
    if (bySubject !== undefined && !(shown.isAllowed || shown.isExceeded)) {
      const other = await bySubject(request)
      if (!other.isAllowed && !shown.isAllowed && other.remaining <= shown.remaining) shown = other
    }
    if (shown.isAllowed) return null
    const { remaining, ttlInSeconds, isExceeded } = shown
    reply.headers({
      'x-ratelimit-limit': max,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': ttlInSeconds
    })
    return isExceeded ? Math.max(1, ttlInSeconds) : null
  }
}

/** As {@link attemptLimit}, as a hook for `preHandler`. The hook throws ServiceError `too_many_requests`. */
export function limitAttempts(app: FastifyInstance, rule: AttemptRule) {
  const count = attemptLimit(app, rule)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const retryAfter = await count(request, reply)
    if (retryAfter !== null) throw new ServiceError('too_many_requests', { retryAfter })
  }
}
