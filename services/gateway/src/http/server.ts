import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import { BoundedMessage, skipEndedConnections } from '@tollgate/service/http/bounded-message.ts'
import { lazyCompilers } from '@tollgate/service/http/lazy-compilers.ts'
import { arrivalTimeouts, type ConnectionLimits } from '@tollgate/service/http/listen.ts'
import { ambiguityOf } from '@tollgate/service/http/request-head.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { RefusalLog } from '../receipts/refusal-log.ts'
import type { AnswerMetrics } from '../telemetry/answer-metrics.ts'
import type { ErrorFormat } from './error-format.ts'
import { answerClientError, sendFailure } from './failures.ts'
import type { Protection } from './protection.ts'
import { unknownEndpoint } from './unknown-endpoint.ts'

const newRequestId = (): string => `req_${randomUUID()}`

type ServerProtection = Pick<Protection, 'trustProxy' | keyof ConnectionLimits>

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when the head had arrived. */
    startedAt: number
    /** The catalog's name of the model, or `other`; empty before it is known. */
    modelLabel: string
    /** The model in the client's own words; null before it is known. */
    askedModel: string | null
    /**
     * The id of the model, once it is known that the key may use it: before that, a refusal must not tell what an alias
     * means.
     */
    allowedModel: string | null
  }
  interface FastifyInstance {
    /** Address of the operator's documentation, to which errors link; null if there is none. */
    docsUrl: string | null
    failures: FailureCounts
    answers: Pick<AnswerMetrics, 'answered'>
    refusals: Pick<RefusalLog, 'refused'>
  }
  interface FastifyContextConfig {
    /** Whether the endpoint reserves the maximum cost of a request and settles it: `inferenceEndpoint` does. */
    isMetered?: boolean
    /** Whether the endpoint calls providers only for what costs nothing. */
    isFree?: boolean
    /** How its errors look. Absent: the client's headers decide. */
    errors?: ErrorFormat
    /** What its requests ask of a model, for traces. */
    operation?: string
  }
}

export interface ServerOptions {
  readonly log: FastifyBaseLogger
  readonly protection: ServerProtection
  readonly docsUrl: string | null
  /** Counts the failed answers. */
  readonly failures: FailureCounts
  /** Counts the answers that called no model. */
  readonly answers: Pick<AnswerMetrics, 'answered'>
  /** Gets the requests of known keys that were not admitted. */
  readonly refusals: Pick<RefusalLog, 'refused'>
}

/** A Fastify server with the gateway's limits and errors, and without routes. */
export function createServer({
  log,
  protection,
  docsUrl,
  failures,
  answers,
  refusals
}: ServerOptions): FastifyInstance {
  const { trustProxy } = protection
  const arrival = arrivalTimeouts(protection)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request costs time. The one line of a request contains its id anyway.
    childLoggerFactory: (logger) => logger,
    // A timeout would also apply to closing, which waits for the requests in flight.
    pluginTimeout: 0,
    trustProxy,
    genReqId: newRequestId,
    // SDKs and proxies may add a slash. Some ids of responses are longer than 100 characters.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    ...arrival,
    http: {
      ...arrival.http,
      // Node.js would refuse a request without a host, and send no body. The hook below answers with an error body.
      requireHostHeader: false,
      IncomingMessage: BoundedMessage
    },
    frameworkErrors: sendFailure,
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket, newRequestId(), { docsUrl, failures, answers }),
    requestIdHeader: false,
    // While the process stops, requests get an error of our table instead of Fastify's.
    return503OnClosing: false,
    schemaController: { compilersFactory: lazyCompilers },
    // Request bodies pass through unchanged.
    ajv: {
      // TypeBox makes the schemas, so their form is right. To check it, Ajv would compile 3 MB of its own at each
      // start.
      customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false, validateSchema: false }
    }
  })
  skipEndedConnections(app.server)
  app.decorate('docsUrl', docsUrl)
  app.decorate('failures', failures)
  app.decorate('answers', answers)
  app.decorate('refusals', refusals)
  app.server.maxConnections = protection.maxConnections

  // The endpoints read bodies themselves. No endpoint accepts the other methods, with or without a body.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
  app.setErrorHandler(sendFailure)
  app.setNotFoundHandler((request) => {
    throw unknownEndpoint(request)
  })
  refuseUnmetered(app)
  refuseAmbiguous(app)
  acceptExpectations(app)
  return app
}

/** @throws Error when a route below `/v1` that may cost something is added without metering, and is not free */
function refuseUnmetered(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    const changes = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD' && one !== 'OPTIONS')
    if (changes && url.startsWith('/v1/') && config?.isMetered !== true && config?.isFree !== true)
      throw new Error(`${url} is not metered`)
  })
}

/** Records when a request began. Refuses requests that a proxy may read differently. */
function refuseAmbiguous(app: FastifyInstance): void {
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('modelLabel', '')
  app.decorateRequest('askedModel', null)
  app.decorateRequest('allowedModel', null)
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now()
    const message = ambiguityOf(request.raw)
    // A proxy may read the next bytes of this connection differently, too.
    const headers = { connection: 'close' }
    done(message === null ? undefined : new ServiceError('invalid_request', { message, headers }))
  })
}

/** Handles requests with an `Expect` header like all others. */
function acceptExpectations(app: FastifyInstance): void {
  // HTTP defines only 100-continue (RFC 9110, 10.1.1). Node.js would refuse all other expectations, and send no body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  // The body reader sends 100-continue, so that a refused request does not get it.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
}
