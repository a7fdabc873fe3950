import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { PreparedAccount } from '@tollgate/state/wire/prepared-account.ts'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAdmissions } from './admission/admissions.ts'
import { holdMsOf } from './admission/hold-ms.ts'
import { createUseLog } from './admission/use-log.ts'
import { buildApp } from './app.ts'
import { BodyMemory } from './body/body-memory.ts'
import { followCatalog, type LiveCatalog } from './catalog/live-catalog.ts'
import { createTurn } from './event-loop/end-of-turn.ts'
import { buildAdmin } from './http/admin.ts'
import type { Protection } from './http/protection.ts'
import { createReaper, type Reaper } from './settlement/reaper.ts'
import { createSettlement } from './settlement/settlement.ts'
import { SettlementQueue } from './settlement/settlement-queue.ts'
import { createClockWatch } from './telemetry/clock-watch.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { createUsageEstimator } from './tokens/usage-estimator.ts'
import { createUpstreamChecks } from './upstream-health/check-upstreams.ts'
import { createUpstreamHealth } from './upstream-health/upstream-health.ts'
import type { Upstreams } from './upstreams/upstreams.ts'

/** How long the gateway waits for Redis to acknowledge the last settlements after `cutOff`. */
const lastSettlementsMs = 2000

/** The parts of a gateway. When it closes, it closes `redis` and the upstreams' pools. */
export interface GatewayParts {
  readonly redis: RedisLink
  readonly upstreams: Upstreams
  readonly log: Logger
  readonly bodyMemoryBytes: number
  readonly protection: Protection
  /** Address of the operator's documentation, to which errors link; null if there is none. */
  readonly docsUrl: string | null
}

/** A gateway whose parts are connected to each other. Its two servers do not listen yet. */
export interface Gateway extends AsyncDisposable {
  /** The server for clients. */
  readonly app: FastifyInstance
  /** The server for operators. */
  readonly admin: FastifyInstance
  readonly catalog: LiveCatalog
  readonly metrics: Metrics
  readonly reaper: Reaper
  readonly bodyMemory: BodyMemory
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

/** Connects the parts of a gateway. Parts close in the reverse of the order in which they are made here. */
export function composeGateway(given: GatewayParts): Gateway {
  const { redis, upstreams, log, protection } = given
  const parts = new AsyncDisposableStack()
  let isStopping = false
  let deadline: NodeJS.Timeout | undefined
  const lastSettlements = Promise.withResolvers<void>()
  const warn = (message: string) => (err: unknown) => log.warn({ err }, message)

  parts.defer(() => redis.close())
  const bodyMemory = new BodyMemory(given.bodyMemoryBytes)
  const turn = createTurn(redis)
  const queue = new SettlementQueue(redis, turn, warn('Redis rejects settlements'))
  const metrics = createMetrics(
    () => queue.waiting,
    () => bodyMemory.heldBytes
  )
  const catalog = followCatalog(redis, warn('cannot read the catalog from Redis'))
  const upstreamHealth = createUpstreamHealth(log)
  const upstreamChecks = createUpstreamChecks(() => upstreams, upstreamHealth, log)
  parts.defer(() => upstreamChecks.stop())
  const admin = buildAdmin(redis, catalog, metrics.registry, () => isStopping, upstreamHealth)
  parts.defer(() => admin.close())
  const estimator = createUsageEstimator(warn('cannot count tokens: usage is estimated from the size of answers'))
  parts.defer(() => estimator.close())
  parts.defer(() => finishSettlements(queue, lastSettlements.promise, log))
  const settlement = createSettlement({ log, estimator, queue, onAboveBound: () => metrics.aboveBound.inc() })
  parts.defer(() => settlement.counted())
  parts.defer(() => closePools(upstreams))
  const reaper = createReaper(
    redis,
    holdMsOf(protection.maxRequestMs),
    metrics.countReaped,
    warn('cannot end overdue holds')
  )
  parts.defer(() => reaper.stop())
  const useLog = createUseLog(redis, warn('cannot record when keys were last used'))
  parts.defer(() => useLog.stop())
  parts.defer(() => catalog.stop())
  const { reap } = reaper
  const admission = {
    redis,
    admissions: createAdmissions(redis, turn),
    reap,
    cancel: (account: PreparedAccount, requestId: string) => queue.cancel(account, requestId),
    isFull: () => queue.isFull
  }
  const app = buildApp({ ...given, catalog, useLog, admission, estimator, settlement, bodyMemory, upstreamHealth })
  parts.defer(() => app.close())
  const clockWatch = createClockWatch(redis, metrics.setClockSkew)
  parts.defer(() => clockWatch.stop())

  return {
    app,
    admin,
    catalog,
    metrics,
    reaper,
    bodyMemory,
    async start() {
      await catalog.start()
      useLog.start()
      reaper.start()
      clockWatch.start()
    },
    checkUpstreams: () => upstreamChecks.start(),
    async settled() {
      await settlement.counted()
      await queue.idle()
    },
    cutOff() {
      app.server.closeAllConnections()
      for (const { pool } of upstreams.values()) void pool.destroy()
      void estimator.abort()
      // The calls that end here are settled, too.
      deadline ??= setTimeout(lastSettlements.resolve, lastSettlementsMs)
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      await parts.disposeAsync()
      clearTimeout(deadline)
    }
  }
}

async function closePools(upstreams: Upstreams): Promise<void> {
  await Promise.all([...upstreams.values()].map(({ pool }) => pool.close()))
}

/**
 * Waits until Redis has acknowledged all settlements. Other gateways charge the holds of lost settlements after their deadline.
 *
 * @param timeout resolves when the wait must end
 */
async function finishSettlements(queue: SettlementQueue, timeout: Promise<void>, log: Logger): Promise<void> {
  await Promise.race([queue.idle(), timeout])
  const lost = queue.stop()
  if (lost > 0) log.error({ lost }, 'settlements are lost: Redis did not acknowledge them in time')
}
