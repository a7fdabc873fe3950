import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { createAuthenticate } from './authenticate/authenticate.ts'
import type { KnownKey } from './authenticate/known-key.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import { chatCompletions } from './endpoints/chat-completions.ts'
import { models } from './endpoints/models.ts'
import { answerClientError, sendFailure } from './failures.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

/** 20 MiB: room for images and audio in a prompt. */
const bodyLimit = 20 * 1024 * 1024

const requestTimeoutMs = 120_000

const newRequestId = (): string => `req_${randomUUID()}`

export type GatewayDependencies = {
  redis: RedisLink
  catalog: LiveCatalog
  upstreams: Upstreams
  log: FastifyBaseLogger
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that the request presents; set in every route under `/v1` before its body is read. */
    knownKey: KnownKey | null
  }
}

/** The gateway as an application: nothing listens and nothing is connected here. */
export function buildApp(dependencies: GatewayDependencies): FastifyInstance {
  const app = Fastify({
    loggerInstance: dependencies.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for every request would cost more than the few that log anything are worth: they name their request.
    childLoggerFactory: (logger) => logger,
    bodyLimit,
    genReqId: newRequestId,
    // A body that does not come within this time is given up; answers may take as long as they do.
    requestTimeout: requestTimeoutMs,
    frameworkErrors: sendFailure,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, newRequestId()),
    requestIdHeader: false,
    // While it stops, a request on an open connection gets the table's error instead of Fastify's.
    return503OnClosing: false,
    // A body passes through as it is: nothing is coerced, filled in or removed.
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } }
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.setErrorHandler(sendFailure)
  app.setNotFoundHandler(() => {
    throw new ServiceError('unknown_endpoint')
  })

  let draining = false
  app.addHook('preClose', async () => {
    draining = true
  })
  app.register(async (v1) => {
    const authenticate = createAuthenticate(dependencies.redis)
    v1.decorateRequest('knownKey', null)
    v1.addHook('onRequest', (request, reply, done) => {
      if (draining) {
        reply.header('connection', 'close')
        throw new ServiceError('draining')
      }
      const key = authenticate(request.headers.authorization)
      if (!(key instanceof Promise)) {
        request.knownKey = key
        done()
        return
      }
      key.then((found) => {
        request.knownKey = found
        done()
      }, done)
    })
    chatCompletions(v1, { ...dependencies, isDraining: () => draining })
    models(v1, dependencies)
  })
  return app
}
