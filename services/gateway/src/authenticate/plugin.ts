import rateLimit from '@fastify/rate-limit'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createAuthenticator } from './authenticate.ts'
import type { KnownKey } from './known-key.ts'

const windowMs = 60_000
/** Client addresses whose failures are remembered; those that failed longest ago are forgotten first. */
const rememberedAddresses = 10_000

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that the request presents; set before its body is read. */
    knownKey: KnownKey | null
  }
}

export type AuthenticateOptions = {
  redis: RedisLink
  /** How often a minute one client address may present something that is not a key. */
  failuresPerMinute: number
  /** Whether this process stops, and takes no more requests. */
  isDraining: () => boolean
}

/**
 * Every request of the scope has to present a key. Who presents too much that is none is refused before Redis is asked;
 * keys that this process remembers are served all the same, since others may share the address.
 */
const authenticatePlugin: FastifyPluginAsync<AuthenticateOptions> = async (app, options) => {
  const { redis, failuresPerMinute, isDraining } = options
  await app.register(rateLimit, { global: false, timeWindow: windowMs, cache: rememberedAddresses })
  const failuresOf = app.createRateLimit({ max: failuresPerMinute })
  const authenticator = createAuthenticator(redis)

  async function lookUp(request: FastifyRequest): Promise<KnownKey> {
    // Who presents nothing guesses nothing.
    if (request.headers.authorization === undefined) throw new ServiceError('missing_api_key')
    insistOnRoom(await failuresOf(request, { increment: false }))
    try {
      return await authenticator.lookUp(request.headers.authorization)
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) insistOnRoom(await failuresOf(request))
      throw error
    }
  }

  app.decorateRequest('knownKey', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (isDraining()) {
      reply.header('connection', 'close')
      done(new ServiceError('draining'))
      return
    }
    request.knownKey = authenticator.remembered(request.headers.authorization)
    if (request.knownKey !== null) {
      done()
      return
    }
    lookUp(request).then((found) => {
      request.knownKey = found
      done()
    }, done)
  })
}

function insistOnRoom(limit: { isAllowed: boolean; isExceeded?: boolean; ttlInSeconds?: number }): void {
  if (limit.isExceeded) throw new ServiceError('too_many_requests', { retryAfter: limit.ttlInSeconds ?? 1 })
}

export const authenticate = fp(authenticatePlugin, { name: 'authenticate', fastify: '5.x' })
