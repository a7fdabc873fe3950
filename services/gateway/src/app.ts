import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ambiguityOf } from '@tollgate/service/http/ambiguous-head.ts'
import { BoundedMessage, skipEndedConnections } from '@tollgate/service/http/bounded-message.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Admission } from './admission/admit-request.ts'
import { holdMsOf } from './admission/hold-ms.ts'
import type { UseLog } from './admission/use-log.ts'
import { authenticate } from './authenticate/plugin.ts'
import type { BodyMemory } from './body/body-memory.ts'
import { SlowBodies } from './body/slow-bodies.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import { Connections } from './connections.ts'
import { allowOrigins, answerPreflights } from './cross-origin.ts'
import { chatCompletions } from './endpoints/chat-completions.ts'
import { completions } from './endpoints/completions.ts'
import { embeddings } from './endpoints/embeddings.ts'
import { inferenceEndpoint } from './endpoints/inference.ts'
import { models } from './endpoints/models.ts'
import { openApi } from './endpoints/openapi.ts'
import { unknownEndpoint } from './endpoints/unknown-endpoint.ts'
import { answerClientError, sendFailure } from './failures.ts'
import { AbandonedStreams } from './relay/abandoned-streams.ts'
import { Deadlines } from './relay/deadlines.ts'
import { SlowReaders } from './relay/slow-readers.ts'
import { logRequest } from './request-log.ts'
import type { Settlement } from './settlement/settlement.ts'
import type { UsageEstimator } from './tokens/usage-estimator.ts'
import { Turns } from './turns.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

const newRequestId = (): string => `req_${randomUUID()}`

/** What protects the gateway from its clients. Times are milliseconds. */
export type Protection = {
  /** Whose `X-Forwarded-For` is believed. */
  trustProxy: boolean | string[]
  /** How often a minute one client address may present something that is not a key. */
  failuresPerMinute: number
  /** Open connections; more are closed as they come. */
  maxConnections: number
  /** How long the head of a request may take, and all of it. */
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** How long a request body may fall behind its minimum rate. */
  slowBodyMs: number
  /** How long a client may take nothing of its answer. */
  slowReaderMs: number
  /** How long a request may take from its admission to the end of its answer. */
  longestRequestMs: number
  /** How many streams may be read to their end at the same time although their clients have left. */
  maxAbandonedStreams: number
}

export type GatewayDependencies = {
  redis: RedisLink
  catalog: LiveCatalog
  upstreams: Upstreams
  /** Told of every admitted request. */
  useLog: Pick<UseLog, 'used'>
  admission: Omit<Admission, 'holdMs'>
  estimator: Pick<UsageEstimator, 'countPrompt'>
  settlement: Pick<Settlement, 'settle' | 'cancel'>
  /** What request bodies may take of this process' memory. */
  bodyMemory: BodyMemory
  log: FastifyBaseLogger
  protection: Protection
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when the head had arrived. */
    startedAt: number
  }
  interface FastifyContextConfig {
    /** Whether the endpoint reserves what a request may cost, and settles it: `inferenceEndpoint` does. */
    isMetered?: boolean
  }
}

/** The gateway as an application: nothing listens and nothing is connected here. */
export function buildApp(dependencies: GatewayDependencies): FastifyInstance {
  const { log, protection } = dependencies
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for every request would cost more than the one line that each writes is worth: that names its request.
    childLoggerFactory: (logger) => logger,
    // It would also end the draining, which takes as long as the requests under way.
    pluginTimeout: 0,
    trustProxy: protection.trustProxy,
    genReqId: newRequestId,
    // SDKs and proxies may add a slash.
    routerOptions: { ignoreTrailingSlash: true },
    // Answers may take as long as they do.
    requestTimeout: protection.requestTimeoutMs,
    http: {
      // Node would refuse what has no host, without a body; it is refused below.
      requireHostHeader: false,
      IncomingMessage: BoundedMessage,
      headersTimeout: protection.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(protection.headersTimeoutMs, protection.requestTimeoutMs, 20_000) / 4
    },
    frameworkErrors: sendFailure,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, newRequestId()),
    requestIdHeader: false,
    // While it stops, a request gets the table's error instead of Fastify's.
    return503OnClosing: false,
    // A body passes through as it is: nothing is coerced, filled in or removed.
    ajv: { customOptions: { coerceTypes: false, useDefaults: false, removeAdditional: false } }
  })
  skipEndedConnections(app.server)
  app.server.maxConnections = protection.maxConnections

  // The endpoints read bodies themselves. No endpoint takes the other methods, whatever their body.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }

  app.setErrorHandler(sendFailure)
  app.setNotFoundHandler((request) => {
    throw unknownEndpoint(request)
  })

  let draining = false
  const calls = new CallsInFlight()
  const connections = new Connections(app.server)
  app.addHook('preClose', async () => {
    draining = true
    await calls.none()
    connections.closeWhenTaken()
  })

  app.addHook('onRoute', ({ method, url, config }) => {
    const changes = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD' && one !== 'OPTIONS')
    if (changes && url.startsWith('/v1/') && config?.isMetered !== true) throw new Error(`${url} is not metered`)
  })

  app.decorateRequest('startedAt', 0)
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now()
    const message = ambiguityOf(request.raw)
    // What follows on the connection may be read differently, too.
    const headers = { connection: 'close' }
    done(message === null ? undefined : new ServiceError('invalid_request', { message, headers }))
  })
  // What a client expects besides 100-continue need not be met (RFC 9110, 10.1.1); Node would refuse it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  // Whoever reads a body says 100-continue: to a request that is refused, it is not said.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))

  allowOrigins(app)

  app.register(async (open) => {
    logSuccesses(open)
    forbidSniffing(open)
    openApi(open)
    answerPreflights(open)
  })
  app.register(async (v1) => {
    await v1.register(authenticate, {
      redis: dependencies.redis,
      failuresPerMinute: protection.failuresPerMinute,
      isDraining: () => draining
    })
    const slowReaders = new SlowReaders(protection.slowReaderMs)
    const deadlines = new Deadlines(protection.longestRequestMs)
    const admission = { ...dependencies.admission, holdMs: holdMsOf(protection.longestRequestMs) }
    const abandonedStreams = new AbandonedStreams(protection.maxAbandonedStreams)
    const bodies = { memory: dependencies.bodyMemory, slowBodies: new SlowBodies(protection.slowBodyMs) }
    const watching = { slowReaders, deadlines, abandonedStreams, bodies, turns: new Turns() }
    const shared = { ...dependencies, ...watching, admission, calls, isDraining: () => draining }
    for (const endpoint of [chatCompletions, completions, embeddings]) inferenceEndpoint(v1, endpoint, shared)
    v1.register(async (listing) => {
      logSuccesses(listing)
      forbidSniffing(listing)
      models(listing, dependencies)
    })
  })
  return app
}

/** Browsers must not guess the type of an answer. Answers of models and failures say so themselves. */
function forbidSniffing(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
}

/** For routes that call no model: failures are logged where they are answered, calls where they are settled. */
function logSuccesses(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode >= 400) return
    const { id, startedAt, knownKey = null } = request
    logRequest(request.log, { id, known: knownKey, startedAt, status: reply.statusCode, code: null })
  })
}
