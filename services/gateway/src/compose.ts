import { createAdminServer, FailureCounts, type Readiness } from '@tollgate/service/http/admin-server.ts'
import { type LogsRequest, sampleRequests } from '@tollgate/service/log/log-lines.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import { version } from '@tollgate/service/workspace.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { createHeartbeat, type ProcessFacts } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAdmissions } from './admission/admissions.ts'
import { type FreeOffer, followFreeOffer } from './admission/free-offer.ts'
import { createUseLog } from './admission/use-log.ts'
import { buildApp, type GatewayDependencies } from './app.ts'
import { createAuthenticator } from './authenticate/authenticate.ts'
import { BodyMemory } from './body/body-memory.ts'
import { type CatalogView, followCatalog, type LiveCatalog } from './catalog/live-catalog.ts'
import { createTurn, type Turn } from './event-loop/end-of-turn.ts'
import { gaugeSources } from './gauge-sources.ts'
import { CallsInFlight } from './http/draining.ts'
import type { Protection } from './http/protection.ts'
import { gatewayReadiness } from './http/readiness.ts'
import { createIdempotency, type Idempotency, keptBudget } from './idempotency/idempotency.ts'
import { createRefusalLog, type RequestLogSetting } from './receipts/refusal-log.ts'
import { Deadlines } from './relay/deadlines.ts'
import { OpenCalls } from './request/request-resources.ts'
import { createRequestCuts } from './revocation/cut-requests.ts'
import { composeSettlement } from './settlement/compose-settlement.ts'
import { createReaper, holdMsOf, type Reaper } from './settlement/reaper.ts'
import type { SettlementQueue } from './settlement/settlement-queue.ts'
import { createStoredResponses } from './stored/stored-responses.ts'
import { createClockWatch } from './telemetry/clock-watch.ts'
import { createMetrics, type Metrics, type RedisMetrics } from './telemetry/metrics.ts'
import { addProcessGauges } from './telemetry/process-gauges.ts'
import { createServedReporter } from './telemetry/served-reporter.ts'
import { createServedSince } from './telemetry/served-since.ts'
import { createUnavailableModels } from './telemetry/unavailable-models.ts'
import type { UsageEstimator } from './tokens/usage-estimator.ts'
import { createUpstreamChecks, createUpstreamHealth, type UpstreamHealth } from './upstream-health/upstream-health.ts'
import type { LiveUpstreams } from './upstreams/live-upstreams.ts'
import { followUpstreams } from './upstreams/reload-upstreams.ts'
import type { Learned } from './upstreams/upstreams.ts'

/** The parts of a gateway. When it closes, it closes `redis`. */
export interface GatewayParts {
  readonly redis: RedisLink
  /** The upstreams file, and the variables that it names. */
  readonly upstreamsFile: string
  readonly env: Record<string, string | undefined>
  readonly upstreamCheckMs?: number
  /** Called with what its calls show of an upstream, and not with what another process told it. */
  readonly onLearned?: (learned: Learned) => void
  readonly log: Logger
  readonly bodyMemoryBytes: number
  readonly protection: Protection
  /** Which requests get a line in the log; default: all. */
  readonly logsRequest?: LogsRequest
  /** MiB of answers that Redis keeps for repeated requests; 0 to ignore `Idempotency-Key`. */
  readonly idempotencyMemoryMb: number
  /** How receipts of requests are written; null if there are none. */
  readonly requestLog: RequestLogSetting | null
  /** Address of the operator's documentation, to which errors link; null if there is none. */
  readonly docsUrl: string | null
  /** Closed with the gateway; null if requests are not traced. */
  readonly tracing: Tracing | null
  /** Counts tokens. Closed with the gateway. Default: an estimator with a thread of its own. */
  readonly estimator?: UsageEstimator
}

/** A gateway whose parts are connected to each other. Its two servers do not listen yet. */
export interface Gateway extends AsyncDisposable {
  /** The server for clients. */
  readonly app: FastifyInstance
  /** The server for operators. */
  readonly admin: FastifyInstance
  /** What `/readyz` of the server for operators answers. */
  readiness(): Readiness | Promise<Readiness>
  readonly catalog: LiveCatalog
  readonly metrics: Metrics
  readonly reaper: Reaper
  readonly bodyMemory: BodyMemory
  readonly upstreams: LiveUpstreams
  /** Reads the upstreams file again. Never throws: an invalid file is an error in the log, and nothing changes. */
  reloadUpstreams(): Promise<void>
  /** Starts the work in the background. Resolves after the first attempt to read the catalog. */
  start(): Promise<void>
  /** Checks the credentials of all upstreams in the background. Called when the gateway listens. */
  checkUpstreams(): void
  /** Resolves when Redis has acknowledged all settlements. */
  settled(): Promise<void>
  /** Ends all connections and calls now. After that, closing waits at most two seconds for Redis. */
  cutOff(): void
  /** Finishes the requests in flight, settles them, and closes every part. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Connects the parts of a gateway. Parts close in the reverse of the order in which they are made here.
 *
 * @throws FileError or ConfigError if the upstreams file is not valid
 */
export function composeGateway(options: GatewayParts): Gateway {
  const { redis, log, protection, logsRequest = sampleRequests(1), requestLog } = options
  const parts = new AsyncDisposableStack()
  const warn = (message: string) => (err: unknown) => log.warn({ err }, message)

  const keep = <Part extends { stop(): void | Promise<void> }>(part: Part): Part =>
    parts.adopt(part, (stopped) => stopped.stop())

  const failures = new FailureCounts()
  parts.defer(() => options.tracing?.close())
  const metrics = createMetrics()
  const { upstreams, reloader } = followUpstreams(options, () => {
    useUpstreams(metrics, upstreams)
    void heartbeat.beat()
    upstreamChecks.start()
  })
  parts.defer(() => redis.close())
  const catalog = followCatalog(redis, warn('cannot read the catalog from Redis'), (view) => metrics.useCatalog(view))
  const facts = () => ({
    ...factsOf(upstreams, catalog, failures),
    ...(requestLog === null && { isWithoutRequestLog: true as const }),
    problems: upstreamHealth.problems()
  })
  const heartbeat = keep(createHeartbeat(redis, facts, warn('cannot report to Redis that this gateway runs')))
  const bodyMemory = new BodyMemory(options.bodyMemoryBytes)
  const turn = createTurn(redis)
  useUpstreams(metrics, upstreams)
  const authenticator = createAuthenticator(redis, metrics.keyLookups)
  const upstreamHealth = healthOf(upstreams, catalog, log)
  const upstreamChecks = keep(createUpstreamChecks(() => upstreams.current.byName, upstreamHealth, log))
  const readiness = () => gatewayReadiness(redis, catalog, parts.disposed, upstreamHealth.problems())
  const admin = createAdminServer({ registry: metrics.registry, readiness })
  parts.defer(() => admin.close())
  // It stops after the settlements, which count the last requests.
  const servedReporter = keep(
    createServedReporter({
      redis,
      servedSince: createServedSince(metrics),
      onError: warn('cannot report speed and failures of models to Redis')
    })
  )
  const settling = parts.use(composeSettlement({ ...options, turn, metrics, failures, logsRequest }))
  const { estimator, queue, settlement } = settling
  parts.defer(() => upstreams.close())
  keep(reloader)
  const holdMs = holdMsOf(protection.maxRequestMs)
  const receiptBytes = requestLog?.shardBytes
  const reaper = keep(createReaper(redis, holdMs, metrics.countReaped, warn('cannot end overdue holds'), receiptBytes))
  const useLog = keep(createUseLog(redis, warn('cannot record when keys were last used')))
  const refusals = keep(createRefusalLog(redis, requestLog, warn('cannot write receipts of refused requests')))
  keep(catalog)
  const storedResponses = keep(createStoredResponses(redis, warn('cannot record stored responses in Redis')))
  const idempotency = parts.adopt(idempotencyOf(options, metrics, holdMs), (part) => part?.stop())
  const freeOffer = keep(followFreeOffer(redis, warn('cannot read from Redis whether the free offer is closed')))
  const admission = admissionOf(redis, turn, metrics.redis, reaper, queue, freeOffer)
  const deadlines = new Deadlines(protection.maxRequestMs)
  const cuts = keep(createRequestCuts(redis, deadlines, log))
  const onUnavailable = createUnavailableModels(log, metrics.countUnavailable)
  const inFlight = { calls: new CallsInFlight(), openCalls: new OpenCalls() }
  const shared = { catalog, upstreams, upstreamHealth, authenticator, bodyMemory, settlement, ...inFlight }
  const ofModels = { estimator, storedResponses, idempotency, onUnavailable, deadlines, useLog, admission }
  const ofTelemetry = { failures, answers: metrics.answers, upstreamMetrics: metrics.upstreams, logsRequest, refusals }
  const app = buildApp({ ...options, ...shared, ...ofModels, ...ofTelemetry })
  parts.defer(() => app.close())
  addProcessGauges(metrics.registry, gaugeSources({ ...shared, redis, queue }))
  const clockWatch = keep(createClockWatch(redis, metrics.setClockSkew))

  return {
    app,
    admin,
    readiness,
    catalog,
    metrics,
    reaper,
    bodyMemory,
    upstreams,
    reloadUpstreams: () => reloader.reload(),
    async start() {
      await Promise.all([catalog.start(), freeOffer.start()])
      for (const part of [useLog, refusals, cuts, reaper, clockWatch, reloader, heartbeat, servedReporter]) part.start()
    },
    checkUpstreams: () => upstreamChecks.start(),
    settled: () => settling.settled(),
    cutOff() {
      app.server.closeAllConnections()
      upstreams.destroy()
      settling.hurry()
      idempotency?.hurry()
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync()
  }
}

/** @returns null if requests with an `Idempotency-Key` are like others */
function idempotencyOf(
  { redis, idempotencyMemoryMb, log }: GatewayParts,
  metrics: Metrics,
  holdMs: number
): Idempotency | null {
  if (idempotencyMemoryMb === 0) return null
  return createIdempotency({
    redis,
    holdMs,
    budget: keptBudget(idempotencyMemoryMb),
    metrics: metrics.idempotency,
    onRedisError: () => metrics.redis.failed(),
    onError: (err) => log.warn({ err }, 'cannot keep answers in Redis'),
    onLost: (lost) =>
      log.error({ lost }, 'answers for repeated requests are lost: Redis did not acknowledge them in time')
  })
}

function admissionOf(
  redis: RedisLink,
  turn: Turn,
  metrics: RedisMetrics,
  { reap }: Reaper,
  queue: SettlementQueue,
  freeOffer: FreeOffer
): GatewayDependencies['admission'] {
  return {
    redis,
    admissions: createAdmissions(redis, turn, metrics),
    freeOffer,
    reap,
    cancel: (account, requestId) => queue.cancel(account, requestId),
    isFull: () => queue.isFull
  }
}

/** Tells the metrics which upstreams are in force. */
const useUpstreams = (metrics: Metrics, { current }: LiveUpstreams): void =>
  metrics.useUpstreams([...current.byName.keys()])

/** The health of the upstreams in force, and of their models that a route has. */
const healthOf = (upstreams: LiveUpstreams, catalog: LiveCatalog, log: Logger): UpstreamHealth =>
  createUpstreamHealth(
    log,
    (upstream, model) =>
      upstreams.current.byName.has(upstream) && (model === null || isRouted(catalog.current(), upstream, model))
  )

/** Whether a route has an upstream's model. */
function isRouted(view: CatalogView | null, upstream: string, model: string): boolean {
  for (const [, { route }] of view?.models() ?? []) {
    if (route.some((target) => target.upstream === upstream && target.model === model)) return true
  }
  return false
}

/** What the heartbeat reports besides problems. */
function factsOf(
  upstreams: LiveUpstreams,
  catalog: LiveCatalog,
  failures: FailureCounts
): Omit<ProcessFacts, 'problems'> {
  return {
    kind: 'gateway',
    version,
    upstreams: [...upstreams.current.byName.values()].map(({ name, breaker, speaks }) => ({
      name,
      breaker: breaker.state,
      speaks: [...speaks]
    })),
    leftOutUpstreams: [...upstreams.current.leftOut],
    chargesListPrices: true,
    checksAddresses: true,
    countsBudgets: true,
    catalogVersion: catalog.current()?.version ?? null,
    errors: failures.all()
  }
}
