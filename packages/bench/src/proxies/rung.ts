/**
 * The gateway with some of its parts: each rung of `bench -- ladder` has one part more than the rung before. Parts that
 * a rung lacks do nothing: admission admits all, settlement forgets.
 *
 * Arguments: name of the rung, port to listen on, port of the upstream, the upstreams file, the URL of a Redis with keys
 * and a catalog.
 */
import { ChatRequest } from '@tollgate/contracts/http/inference.ts'
import type { Admissions } from '@tollgate/gateway/admission/admissions.ts'
import { createAdmissions } from '@tollgate/gateway/admission/admissions.ts'
import { followFreeOffer } from '@tollgate/gateway/admission/free-offer.ts'
import { createUseLog } from '@tollgate/gateway/admission/use-log.ts'
import { listFormat } from '@tollgate/gateway/apis/chat/list-format.ts'
import { buildApp, type GatewayDependencies } from '@tollgate/gateway/app.ts'
import { createAuthenticator } from '@tollgate/gateway/authenticate/authenticate.ts'
import { authenticate } from '@tollgate/gateway/authenticate/plugin.ts'
import { BodyMemory } from '@tollgate/gateway/body/body-memory.ts'
import { SlowBodies } from '@tollgate/gateway/body/slow-bodies.ts'
import { followCatalog } from '@tollgate/gateway/catalog/live-catalog.ts'
import { loadGatewayConfig } from '@tollgate/gateway/config.ts'
import { createTurn } from '@tollgate/gateway/event-loop/end-of-turn.ts'
import { CallsInFlight } from '@tollgate/gateway/http/draining.ts'
import { createServer } from '@tollgate/gateway/http/server.ts'
import { createIdempotency, keptBudget } from '@tollgate/gateway/idempotency/idempotency.ts'
import { protectionOf } from '@tollgate/gateway/program/open-gateway.ts'
import { createRefusalLog, requestLogOf } from '@tollgate/gateway/receipts/refusal-log.ts'
import { AbandonedStreams } from '@tollgate/gateway/relay/abandoned-streams.ts'
import { Deadlines } from '@tollgate/gateway/relay/deadlines.ts'
import { relay } from '@tollgate/gateway/relay/relay.ts'
import { SlowReaders } from '@tollgate/gateway/relay/slow-readers.ts'
import { readBody } from '@tollgate/gateway/request/read-body.ts'
import { prepareSchema, readRequestBody } from '@tollgate/gateway/request/request-body.ts'
import { OpenCalls } from '@tollgate/gateway/request/request-resources.ts'
import { CallMetrics } from '@tollgate/gateway/settlement/call-metrics.ts'
import { createReaper, holdMsOf } from '@tollgate/gateway/settlement/reaper.ts'
import { createSettlement, type Settlement } from '@tollgate/gateway/settlement/settlement.ts'
import { SettlementQueue } from '@tollgate/gateway/settlement/settlement-queue.ts'
import { createStoredResponses } from '@tollgate/gateway/stored/stored-responses.ts'
import { createLogOutput } from '@tollgate/gateway/telemetry/log-output.ts'
import { createMetrics } from '@tollgate/gateway/telemetry/metrics.ts'
import { createUsageEstimator } from '@tollgate/gateway/tokens/usage-estimator.ts'
import { createUpstreamHealth } from '@tollgate/gateway/upstream-health/upstream-health.ts'
import { followUpstreams } from '@tollgate/gateway/upstreams/reload-upstreams.ts'
import { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import type { RequestAnswer } from '@tollgate/state/admission/admit.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import pino from 'pino'
import { type Rung, rungs } from './rungs.ts'

const [name, port, upstreamPort, upstreamsFile, redisUrl] = process.argv.slice(2)
const rung = rungs.indexOf(name as Rung)
const has = (part: Rung): boolean => rung >= rungs.indexOf(part)

const nothing = (): void => undefined
const env = { BENCH_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}/v1`, BENCH_CREDENTIAL: 'the-upstreams-key' }
const config = loadGatewayConfig({ REDIS_URL: redisUrl })
const protection = protectionOf(config)
const output = createLogOutput()
const log = pino({ level: 'info', name: 'gateway' }, output)
const redis = connectServer(redisUrl!, { name: 'tollgate-bench', silenceTimeoutMs: 5000, onError: nothing })
await redis.ready()
const metrics = createMetrics()
const catalog = followCatalog(redis, nothing, (view) => metrics.useCatalog(view))
await catalog.start()
const { upstreams } = followUpstreams({ upstreamsFile: upstreamsFile!, env, log }, nothing)
metrics.useUpstreams([...upstreams.current.byName.keys()])
const bodyMemory = new BodyMemory(config.GATEWAY_BODY_MEMORY_MB * 1024 * 1024)
const deadlines = new Deadlines(protection.maxRequestMs)
const authenticator = createAuthenticator(redis, metrics.keyLookups)
const failures = new FailureCounts()
const ofServer = {
  log,
  protection,
  docsUrl: null,
  failures,
  answers: metrics.answers,
  refusals: createRefusalLog(redis, null, nothing)
}

/** The gateway's own routes. */
function dependencies(): GatewayDependencies {
  const turn = createTurn(redis)
  const requestLog = has('receipt') ? requestLogOf(config) : null
  const queue = new SettlementQueue(redis, turn, metrics.redis, nothing, requestLog?.shardBytes)
  const estimator = createUsageEstimator(nothing)
  const logsRequest = () => has('log')
  const holdMs = holdMsOf(protection.maxRequestMs)
  const settlement = createSettlement({
    log,
    estimator,
    queue,
    onAboveBound: nothing,
    onUnpriced: nothing,
    failures,
    metrics: has('metrics') ? new CallMetrics(metrics) : { ended: nothing },
    logsRequest,
    requestLog
  })
  const useLog = createUseLog(redis, nothing)
  useLog.start()
  const { reap } = createReaper(redis, holdMs, nothing, nothing)
  return {
    ...ofServer,
    redis,
    tracing: null,
    catalog,
    upstreams,
    upstreamHealth: createUpstreamHealth(log, () => true),
    upstreamMetrics: has('metrics') ? metrics.upstreams : { failed: nothing, ended: nothing },
    onUnavailable: nothing,
    authenticator,
    bodyMemory,
    deadlines,
    useLog: has('admission') ? useLog : { ...useLog, used: nothing },
    estimator,
    settlement: has('settlement') ? settlement : noSettlement,
    storedResponses: createStoredResponses(redis, nothing),
    idempotency: has('idempotency')
      ? createIdempotency({
          redis,
          holdMs,
          budget: keptBudget(config.IDEMPOTENCY_MEMORY_MB),
          metrics: metrics.idempotency,
          onRedisError: nothing,
          onError: nothing,
          onLost: nothing
        })
      : null,
    calls: new CallsInFlight(),
    openCalls: new OpenCalls(),
    logsRequest,
    admission: {
      redis,
      admissions: has('admission') ? createAdmissions(redis, turn, metrics.redis) : admitsAll,
      freeOffer: followFreeOffer(redis, nothing),
      reap,
      cancel: nothing,
      isFull: () => queue.isFull
    }
  }
}

const admitted: RequestAnswer = {
  outcome: 'admitted',
  grantedTokens: 256,
  at: Math.floor(Date.now() / 1000),
  nanos: 100_000,
  budgetLeftNanos: 1e15,
  requests: 1e9,
  requestsLeft: 1e9,
  requestsRestMs: 0,
  tokensLeft: 1e12,
  tokensRestMs: 0
}
const answered = Promise.resolve(admitted)
const admitsAll: Admissions = { ask: () => answered }
const noSettlement: Settlement = { settle: nothing, cancel: nothing, counted: async () => {}, countingCalls: 0 }

type Body = ReturnType<typeof readRequestBody<typeof ChatRequest>>

/** Fastify with the relay; then with keys, and with the members of the body read. */
async function shortApp() {
  const app = createServer(ofServer)
  const isDraining = () => false
  if (has('authentication')) {
    await app.register(authenticate, {
      authenticator,
      failuresPerMinute: protection.failuresPerMinute,
      readsApiKey: () => false,
      isDraining
    })
  }
  const understood = prepareSchema(ChatRequest)
  const bodies = { memory: bodyMemory, slowBodies: new SlowBodies(protection.slowBodyMs) }
  const sender = { bodyBytes: 0 }
  const shared = {
    upstreams: upstreams.current.byName,
    docsUrl: null,
    route: [{ upstream: 'bench', model: 'bench-model', priority: 0, weight: 1 }],
    path: '/chat/completions',
    format: listFormat('choices', 'delta'),
    slowReaders: new SlowReaders(protection.slowReaderMs),
    deadlines,
    abandonedStreams: new AbandonedStreams(protection.maxAbandonedStreams),
    isDraining
  }
  /** Requests of the bench with bodies of one length are the same. */
  let last: Body | null = null
  const bodyOf = (bytes: Buffer): Body => {
    if (last === null || last.bytes.length !== bytes.length || has('body')) last = readRequestBody(bytes, understood)
    return last
  }
  const pass = (request: FastifyRequest, reply: FastifyReply, { bytes, members, spans }: Body) => {
    reply.hijack()
    relay({
      ...shared,
      body: bytes,
      spans,
      ids: [],
      model: members.model,
      isStream: members.stream === true,
      streamOptions: members.stream_options ?? null,
      includesUsage: null,
      toolLimit: null,
      sendsStandardTier: false,
      output: null,
      asksForUsage: true,
      upstreamFields: [],
      answers: 1,
      requestId: request.id,
      key: null,
      trace: null,
      maxCalls: 3,
      response: reply.raw,
      fields: [],
      copy: null,
      costOf: null,
      showsCost: false,
      showsUsageCost: false,
      hidesOutput: false,
      onFailure: nothing,
      onIssued: nothing,
      onEnd: nothing
    })
  }
  app.post('/v1/chat/completions', { config: { isFree: true } }, (request, reply) => {
    readBody(request.raw, reply.raw, bodies, sender, Number.POSITIVE_INFINITY, (failure, bytes, heldBytes) => {
      bodyMemory.release(sender, heldBytes)
      if (failure === null) pass(request, reply, bodyOf(bytes))
      else reply.send(failure)
    })
  })
  return app
}

const app = has('bound') ? buildApp(dependencies()) : await shortApp()
await app.listen({ host: '127.0.0.1', port: Number(port), backlog: 4096 })
