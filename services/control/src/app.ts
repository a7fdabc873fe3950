import cookie from '@fastify/cookie'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { authEndpoints } from './auth/endpoints.ts'
import type { Identity } from './auth/identity/identity.ts'
import { defaultFloors, type Floors } from './auth/pace.ts'
import { session } from './auth/session.ts'
import { type Clock, systemClock } from './clock.ts'
import type { ControlConfig } from './config.ts'
import type { Database } from './database/connect.ts'
import { browserCallers } from './http/browser-callers.ts'
import { endConnectionsOnClose } from './http/closing.ts'
import { answerClientError, sendFailure, sendNotFound } from './http/failures.ts'
import { answerProbes } from './http/health.ts'
import { readJsonBodies } from './http/json-body.ts'
import { originTest } from './http/origins.ts'
import { newRequestId } from './http/request-id.ts'
import { sendSecurityHeaders } from './http/security-headers.ts'
import { keysEndpoints } from './keys/endpoints.ts'
import { signInPage } from './pages/sign-in-page.ts'
import type { Projector } from './projection/projector.ts'

/** Far above any body that the API knows. */
const bodyLimitBytes = 64 * 1024
/** Longer than everything that a request waits for elsewhere: what is not answered by then waits for the database. */
const defaultRequestLimitMs = 15_000

export type ControlDependencies = {
  config: Pick<ControlConfig, 'publicUrl' | 'serviceDomain' | 'extraOrigins' | 'trustProxy'>
  database: Database
  identity: Identity
  redis: RedisLink
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged' | 'keyChanged'>
  log: FastifyBaseLogger
  clock?: Clock
  floors?: Floors
  /** Milliseconds after which a request that is not answered gets 503. */
  requestLimitMs?: number
}

/** Control as an application: nothing listens and nothing is connected here. */
export function buildApp(dependencies: ControlDependencies): FastifyInstance {
  const { config, database, identity, redis, catalog, projector, log } = dependencies
  const { clock = systemClock, floors = defaultFloors, requestLimitMs = defaultRequestLimitMs } = dependencies
  const { publicUrl, serviceDomain } = config
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    bodyLimit: bodyLimitBytes,
    handlerTimeout: requestLimitMs,
    // What still arrives while the server closes is served: everything that it needs is closed later.
    return503OnClosing: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void sendFailure(error, request, reply),
    // A request is taken as it was sent or refused: nothing is coerced, filled in or left out.
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } }
  })
  app.setErrorHandler(sendFailure)
  app.setNotFoundHandler(sendNotFound)
  readJsonBodies(app)
  endConnectionsOnClose(app)
  sendSecurityHeaders(app, publicUrl.startsWith('https://'))
  app.addHook('onResponse', (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime)
    request.log.info(
      { method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms },
      'answered'
    )
    done()
  })

  answerProbes(app, database, redis)
  signInPage(app, publicUrl)

  app.register(cookie)
  app.register(session, { database, catalog, clock })
  const browsers = { isAllowedOrigin: originTest(config), publicUrl }
  app.register(
    async (auth) => {
      await auth.register(browserCallers, browsers)
      auth.setNotFoundHandler(sendNotFound)
      await authEndpoints(auth, { identity, database, catalog, projector, clock, floors, publicUrl, serviceDomain })
    },
    { prefix: '/api/auth' }
  )
  app.register(
    async (keys) => {
      await keys.register(browserCallers, browsers)
      keys.setNotFoundHandler(sendNotFound)
      await keysEndpoints(keys, { database, catalog, projector, clock })
    },
    { prefix: '/api/keys' }
  )
  return app
}
