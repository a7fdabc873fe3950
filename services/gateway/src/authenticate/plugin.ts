import rateLimit from '@fastify/rate-limit'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Authenticator } from './authenticate.ts'
import type { KnownKey } from './known-key.ts'

/**
 * The API key that a request presents: the bearer token; without one, `x-api-key`. So if a client sends both, as some
 * do with one key, the bearer token counts.
 *
 * @param readsApiKey whether `x-api-key` counts for a request
 * @returns null if the request presents none
 */
export function presentedSecret(
  request: FastifyRequest,
  readsApiKey: (request: FastifyRequest) => boolean
): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers
  const token = bearerToken(authorization)
  if (token !== null || typeof apiKey !== 'string' || !readsApiKey(request)) return token
  return isToken.test(apiKey) ? apiKey : null
}

const isToken = /^\S+$/

const windowMs = 60_000
/**
 * Maximum of client addresses whose failures are remembered. The address with the oldest failure is forgotten first.
 */
const rememberedAddresses = 10_000

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's API key; set before its body is read. */
    knownKey: KnownKey | null
  }
}

export interface AuthenticateOptions {
  authenticator: Authenticator
  /** Requests with an invalid key that one client address may make per minute. */
  failuresPerMinute: number
  /** Whether a request may present its key in `x-api-key`, as clients of Anthropic's API do. */
  readsApiKey: (request: FastifyRequest) => boolean
  /** Whether this process is stopping, and refuses new requests. */
  isDraining: () => boolean
}

/**
 * Requires an API key on every request of the scope. Addresses with too many invalid keys are refused before a look-up
 * in Redis. Keys that this process remembers still work there, because clients may share an address.
 */
const authenticatePlugin: FastifyPluginAsync<AuthenticateOptions> = async (app, options) => {
  const { authenticator, failuresPerMinute, readsApiKey, isDraining } = options
  await app.register(rateLimit, { global: false, timeWindow: windowMs, cache: rememberedAddresses })
  const failuresOf = app.createRateLimit({ max: failuresPerMinute })

  async function lookUp(request: FastifyRequest, secret: string | null): Promise<KnownKey> {
    // A request without a key guesses no key, so it does not count.
    if (secret === null && request.headers.authorization === undefined) throw new ServiceError('missing_api_key')
    assertFewFailures(await failuresOf(request, { increment: false }))
    try {
      return await authenticator.lookUp(secret)
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) assertFewFailures(await failuresOf(request))
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
    const secret = presentedSecret(request, readsApiKey)
    request.knownKey = authenticator.remembered(secret)
    if (request.knownKey !== null) {
      done()
      return
    }
    lookUp(request, secret).then((key) => {
      request.knownKey = key
      done()
    }, done)
  })
}

function assertFewFailures(limit: { isAllowed: boolean; isExceeded?: boolean; ttlInSeconds?: number }): void {
  if (limit.isExceeded) throw new ServiceError('too_many_requests', { retryAfter: limit.ttlInSeconds ?? 1 })
}

export const authenticate = fp(authenticatePlugin, { name: 'authenticate', fastify: '5.x' })
