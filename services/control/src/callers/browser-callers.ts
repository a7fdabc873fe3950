import cors from '@fastify/cors'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { presentedSessions } from './session-cookie.ts'

interface OriginRules {
  /** Its subdomains are allowed over https; the domain itself is not. */
  readonly serviceDomain: string
  /** Exact origins that are also allowed. */
  readonly extraOrigins: readonly string[]
}

/** The longest host name in DNS, with its scheme. */
const maxOriginLength = 'https://'.length + 253

/**
 * Makes the test of the CORS rule: is an origin `https://<subdomain>.<service domain>`, or an extra origin? The
 * expression is anchored on both sides, and no repetition in it can match a text in two ways.
 */
export function originTest({ serviceDomain, extraOrigins }: OriginRules): (origin: string) => boolean {
  const domain = serviceDomain.replace(/[^a-z0-9-]/g, (character) => `\\${character}`)
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  const subdomain = new RegExp(`^https://(?:${label}\\.)+${domain}$`)
  const extra = new Set(extraOrigins)
  return (origin) => extra.has(origin) || (origin.length <= maxOriginLength && subdomain.test(origin))
}

/** Browsers may cache the answer to a pre-flight for 24 hours. */
const preflightSeconds = 86_400
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface BrowserCallersOptions {
  /** The service's CORS rule. */
  isAllowedOrigin: (origin: string) => boolean
  /** The origin of the service's own pages. */
  publicUrl: string
}

/**
 * For the API that browsers call with the session cookie. Allowed origins get CORS. A change with the cookie from any
 * other origin is refused. A request without an `Origin` passes, unless `Sec-Fetch-Site` says that another site sent
 * it.
 */
const browserCallersPlugin: FastifyPluginAsync<BrowserCallersOptions> = async (app, options) => {
  await app.register(cors, {
    origin: (origin, callback) => callback(null, origin !== undefined && options.isAllowedOrigin(origin)),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['content-type', 'authorization', 'idempotency-key'],
    exposedHeaders: ['x-request-id', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    maxAge: preflightSeconds,
    // The strict form would answer with another shape than our errors.
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
