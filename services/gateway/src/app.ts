import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import Fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance, LogController } from 'fastify'
import { createAuthenticate } from './authenticate/authenticate.ts'
import type { KnownKey } from './authenticate/known-key.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import { chatCompletions } from './endpoints/chat-completions.ts'
import { models } from './endpoints/models.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

/** 20 MiB: room for images and audio in a prompt. */
const bodyLimit = 20 * 1024 * 1024

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
    bodyLimit,
    genReqId: () => `req_${randomUUID()}`,
    requestIdHeader: false,
    // While it stops, a request on an open connection gets the table's error instead of Fastify's.
    return503OnClosing: false,
    // A body passes through as it is: nothing is coerced, filled in or removed.
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } }
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.setErrorHandler((error: FastifyError | ServiceError, request, reply) => {
    const failure = toServiceError(error)
    if (failure.status >= 500) request.log.error({ err: failure }, 'request failed')
    if (failure.retryAfter !== null) reply.header('retry-after', failure.retryAfter)
    return reply.code(failure.status).header('x-request-id', request.id).send(failure.toBody())
  })
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
      reply.header('x-request-id', request.id)
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
    chatCompletions(v1, dependencies)
    models(v1, dependencies)
  })
  return app
}

function toServiceError(error: FastifyError | ServiceError): ServiceError {
  if (error instanceof ServiceError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('request_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('invalid_request', { message: 'Send the body as application/json.' })
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new ServiceError('invalid_request', { cause: error })
  }
  return new ServiceError('internal_error', { cause: error })
}
