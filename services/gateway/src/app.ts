import { setTimeout as delay } from 'node:timers/promises'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import type { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import type { LogsRequest } from '@tollgate/service/log/log-lines.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Admission } from './admission/admit-request.ts'
import { apis, countingApis } from './apis/index.ts'
import { currentKey } from './apis/key/current-key.ts'
import { models } from './apis/models/models.ts'
import { storedResponses } from './apis/responses/stored-routes.ts'
import type { Authenticator } from './authenticate/authenticate.ts'
import { lastPlanOf } from './authenticate/known-key.ts'
import { authenticate } from './authenticate/plugin.ts'
import type { BodyMemory } from './body/body-memory.ts'
import { SlowBodies } from './body/slow-bodies.ts'
import { TimeSlices } from './event-loop/time-slices.ts'
import { AnswerRoom } from './free-calls/answer-room.ts'
import { ProviderCounts } from './free-calls/provider-counts.ts'
import { createReadRate } from './free-calls/read-rate.ts'
import { allowOrigins, answerPreflights } from './http/cross-origin.ts'
import { type CallsInFlight, Connections, stopListening } from './http/draining.ts'
import { readsApiKey } from './http/error-format.ts'
import type { Protection } from './http/protection.ts'
import { routeOf } from './http/route-of.ts'
import { createServer } from './http/server.ts'
import type { RefusalLog } from './receipts/refusal-log.ts'
import { AbandonedStreams } from './relay/abandoned-streams.ts'
import { SlowReaders } from './relay/slow-readers.ts'
import { countingEndpoint } from './request/counting.ts'
import type { InferenceDependencies } from './request/dependencies.ts'
import { inferenceEndpoint } from './request/inference.ts'
import { holdMsOf } from './settlement/reaper.ts'
import type { AnswerMetrics } from './telemetry/answer-metrics.ts'
import { logRequest, senderOf } from './telemetry/request-log.ts'
import { traceRequests } from './telemetry/trace-requests.ts'
import { PromptSizes } from './tokens/prompt-sizes.ts'

/** Serialized when the first request needs it. */
let json: string | null = null

/** `GET /v1/openapi.json`, without a key. */
function openApi(app: FastifyInstance): void {
  app.get('/v1/openapi.json', (request, reply) => {
    json ??= JSON.stringify(inferenceDocument)
    reply.header('x-request-id', request.id).type('application/json; charset=utf-8').send(json)
  })
}

type SharedDependencies = Pick<
  InferenceDependencies,
  | 'docsUrl'
  | 'catalog'
  | 'upstreams'
  | 'upstreamHealth'
  | 'upstreamMetrics'
  | 'onUnavailable'
  | 'useLog'
  | 'estimator'
  | 'settlement'
  | 'storedResponses'
  | 'idempotency'
  | 'calls'
  | 'deadlines'
  | 'openCalls'
>

/** What the gateway's routes need. */
export interface GatewayDependencies extends SharedDependencies {
  readonly redis: RedisLink
  readonly admission: Omit<Admission, 'holdMs'>
  /** Limits the memory that request bodies take in this process. */
  readonly bodyMemory: BodyMemory
  readonly log: FastifyBaseLogger
  readonly protection: Protection
  readonly failures: FailureCounts
  readonly answers: Pick<AnswerMetrics, 'answered'>
  readonly refusals: Pick<RefusalLog, 'refused'>
  readonly authenticator: Authenticator
  readonly logsRequest: LogsRequest
  /** null if requests are not traced. */
  readonly tracing: Tracing | null
}

/** Builds the gateway's routes. It neither listens nor connects. */
export function buildApp(dependencies: GatewayDependencies): FastifyInstance {
  const app = createServer(dependencies)
  const { calls, protection } = dependencies
  const isDraining = drainOnClose(app, calls, protection.lingerMs)
  allowOrigins(app)
  app.register(async (open) => {
    logSuccesses(open, dependencies)
    forbidSniffing(open)
    openApi(open)
    answerPreflights(open)
  })
  app.register(async (v1) => {
    const { authenticator, protection, tracing } = dependencies
    // First, so that a refused key is traced, too.
    traceRequests(v1, tracing)
    await v1.register(authenticate, {
      authenticator,
      failuresPerMinute: protection.failuresPerMinute,
      readsApiKey,
      isDraining
    })
    const shared = inferenceDependencies(dependencies, isDraining)
    for (const api of apis) inferenceEndpoint(v1, api, shared)
    v1.register(async (listing) => {
      logSuccesses(listing, dependencies)
      forbidSniffing(listing)
      const reading = { ...dependencies, countRead: createReadRate() }
      models(listing, reading)
      currentKey(listing, reading)
      storedResponses(listing, shared)
      for (const api of countingApis) countingEndpoint(listing, api, shared)
    })
  })
  return app
}

function inferenceDependencies(dependencies: GatewayDependencies, isDraining: () => boolean): InferenceDependencies {
  const { protection, bodyMemory, admission } = dependencies
  return {
    ...dependencies,
    admission: { ...admission, holdMs: holdMsOf(protection.maxRequestMs) },
    slowReaders: new SlowReaders(protection.slowReaderMs),
    abandonedStreams: new AbandonedStreams(protection.maxAbandonedStreams),
    answerRoom: new AnswerRoom(bodyMemory),
    bodies: { memory: bodyMemory, slowBodies: new SlowBodies(protection.slowBodyMs) },
    promptSizes: new PromptSizes(),
    providerCounts: new ProviderCounts(admission.redis, dependencies.log),
    slices: new TimeSlices(),
    maxWaitMs: protection.maxRequestMs,
    isDraining
  }
}

/**
 * Lets `app.close()` wait for the calls in flight, and for clients to read their answers.
 *
 * @returns whether the app is closing
 */
function drainOnClose(app: FastifyInstance, calls: CallsInFlight, lingerMs: number): () => boolean {
  let isDraining = false
  const connections = new Connections(app.server)
  app.addHook('preClose', async () => {
    isDraining = true
    await calls.whenNone()
    // A proxy may send its next request on any open connection, also on one that is idle now. It gets 503, not a closed
    // connection: nginx repeats only the first.
    if (connections.count > 0) await delay(lingerMs)
    await stopListening(app.server)
    connections.closeWhenRead()
  })
  return () => isDraining
}

/** Browsers must not guess the type of an answer. Model answers and failures set this header themselves. */
function forbidSniffing(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
}

/** For routes that call no model. The failure handler logs failures, and the settlement logs model calls. */
function logSuccesses(app: FastifyInstance, { answers, logsRequest }: GatewayDependencies): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status } = reply
    if (status >= 400) return
    const { id, startedAt, knownKey: key = null } = request
    const [endpoint, code] = [routeOf(request), null]
    answers.answered({ endpoint, model: '', plan: lastPlanOf(key), status, code })
    if (!logsRequest(status, code)) return
    const [endedAt, sender] = [performance.now(), senderOf(request)]
    logRequest(request.log, { id, key, startedAt, endedAt, status, code, sender, endpoint })
  })
}
