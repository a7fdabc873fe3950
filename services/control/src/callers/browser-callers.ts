import cors from '@fastify/cors'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { presentedSessions } from './session-cookie.ts'

/** Browsers may keep the answer to a pre-flight for 24 hours. */
const preflightSeconds = 86_400
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface BrowserCallersOptions {
  /** The service's CORS rule. */
  isAllowedOrigin: (origin: string) => boolean
  /** The origin of the service's own pages. */
  publicUrl: string
}

/**
 * For the part of the API that browsers call with the session cookie: CORS for the origins that may, and no changes by
 * the cookie for any other. A request without an `Origin` passes, unless `Sec-Fetch-Site` says that a page of another
 * site sent it.
 */
const browserCallersPlugin: FastifyPluginAsync<BrowserCallersOptions> = async (app, options) => {
  await app.register(cors, {
    origin: (origin, callback) => callback(null, origin !== undefined && options.isAllowedOrigin(origin)),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['content-type', 'authorization', 'idempotency-key'],
    exposedHeaders: ['x-request-id', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    maxAge: preflightSeconds,
    // The strict form answers in another shape than our errors, and other middleware need not care either.
    strictPreflight: false
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { origin, 'sec-fetch-site': site } = request.headers
    const isForeign =
      origin === undefined ? site === 'cross-site' : origin !== options.publicUrl && !options.isAllowedOrigin(origin)
    const isByCookie = presentedSessions(request.headers.cookie).length > 0
    if (isForeign && isByCookie && !safeMethods.has(request.method)) done(new ServiceError('csrf_rejected'))
    else done()
  })
}

export const browserCallers = fp(browserCallersPlugin, { name: 'browser-callers', fastify: '5.x' })
