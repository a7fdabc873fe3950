import type { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import type { LogsRequest } from '@tollgate/service/log/log-lines.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Logger } from 'pino'
import type { Turn } from '../event-loop/end-of-turn.ts'
import type { RequestLogSetting } from '../receipts/refusal-log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createUsageEstimator, type UsageEstimator } from '../tokens/usage-estimator.ts'
import { CallMetrics } from './call-metrics.ts'
import { createSettlement, type Settlement } from './settlement.ts'
import { SettlementQueue } from './settlement-queue.ts'

/** How long the gateway waits for Redis to acknowledge the last settlements after `hurry`. */
const lastSettlementsMs = 2000

/** What settlement needs of a gateway. */
export interface SettlementParts {
  readonly redis: RedisLink
  readonly turn: Turn
  readonly metrics: Metrics
  readonly failures: FailureCounts
  readonly log: Logger
  readonly logsRequest: LogsRequest
  /** null if requests have no receipts. */
  readonly requestLog: RequestLogSetting | null
  /** Counts tokens. Closed with the gateway. Default: an estimator with a thread of its own. */
  readonly estimator?: UsageEstimator
}

/** Settlement with the parts of its own. */
export interface ComposedSettlement extends AsyncDisposable {
  readonly estimator: UsageEstimator
  readonly queue: SettlementQueue
  readonly settlement: Settlement
  /** Resolves when Redis has acknowledged all settlements. */
  settled(): Promise<void>
  /** Counts no further tokens. After that, closing waits at most two seconds for Redis. */
  hurry(): void
  /** Settles all ended calls, waits until Redis has acknowledged them, and ends the estimator. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Connects what prices the calls that ended, and tells Redis. */
export function composeSettlement(options: SettlementParts): ComposedSettlement {
  const { redis, turn, metrics, failures, log, logsRequest, requestLog } = options
  const warn = (message: string) => (err: unknown) => log.warn({ err }, message)
  const lastSettlements = Promise.withResolvers<void>()
  let deadline: NodeJS.Timeout | undefined
  const queue = new SettlementQueue(
    redis,
    turn,
    metrics.redis,
    warn('Redis rejects settlements'),
    requestLog?.shardBytes
  )
  const estimator =
    options.estimator ?? createUsageEstimator(warn('cannot count tokens: usage is estimated from the size of answers'))
  const onAboveBound = (nanos: number): void => {
    metrics.aboveBound.requests.add(1)
    metrics.aboveBound.nanos.add(nanos)
  }
  const { countUnpriced: onUnpriced } = metrics
  const callMetrics = new CallMetrics(metrics)
  const settlement = createSettlement({
    log,
    estimator,
    queue,
    onAboveBound,
    onUnpriced,
    failures,
    metrics: callMetrics,
    logsRequest,
    requestLog
  })
  return {
    estimator,
    queue,
    settlement,
    async settled() {
      await settlement.counted()
      await queue.idle()
    },
    hurry() {
      void estimator.abort()
      // The calls that end here are settled, too.
      deadline ??= setTimeout(lastSettlements.resolve, lastSettlementsMs)
    },
    async [Symbol.asyncDispose]() {
      await using parts = new AsyncDisposableStack()
      parts.defer(() => clearTimeout(deadline))
      parts.defer(() => estimator.close())
      parts.defer(() => finishSettlements(queue, lastSettlements.promise, log))
      parts.defer(() => settlement.counted())
    }
  }
}

/**
 * Waits until Redis has acknowledged all settlements. Other gateways charge the holds of lost settlements after their
 * deadline.
 *
 * @param timeout resolves when the wait must end
 */
async function finishSettlements(queue: SettlementQueue, timeout: Promise<void>, log: Logger): Promise<void> {
  await Promise.race([queue.idle(), timeout])
  const lost = queue.stop()
  if (lost > 0) log.error({ lost }, 'settlements are lost: Redis did not acknowledge them in time')
}
