import { RedisRefusedError } from '@tollgate/state/link/execute.ts'
import { RedisAwayError, type RedisLink, togetherFor, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { cancel, type SettledGroup, settle } from '@tollgate/state/settlement/settle.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import type { PreparedAccount } from '@tollgate/state/wire/packed.ts'
import type { Turn } from '../event-loop/end-of-turn.ts'
import type { RedisMetrics } from '../telemetry/metrics.ts'
import { type CancelledGroup, Outboxes } from './outboxes.ts'

/** Gets the end of a settlement. */
export interface SettlementTrace {
  /** @param failure null if Redis has the settlement */
  acknowledged(failure: 'lost' | null): void
}

/** If this many settlements wait, requests are refused. */
const maxWaiting = 50_000
const [minRetryMs, maxRetryMs] = [50, 1000]

/**
 * Sends each settlement and cancellation to Redis until Redis acknowledges it. Collects the settlements of one turn of
 * the event loop, and sends them in one command.
 */
export class SettlementQueue {
  readonly #redis: RedisLink
  readonly #turn: Turn
  readonly #metrics: Pick<RedisMetrics, 'answered' | 'failed'>
  readonly #onError: (error: Error) => void
  readonly #receiptBytes: number
  readonly #outboxes = new Outboxes()
  readonly #retries = new Set<NodeJS.Timeout>()
  /** Traces of waiting settlements, by the id of the request. */
  readonly #traces = new Map<string, SettlementTrace>()
  #waiting = 0
  #isScheduled = false
  #retryMs = minRetryMs
  #isFailing = false
  #isStopped = false
  #onIdle: Array<() => void> = []

  /**
   * @param metrics measures the round trips
   * @param onError called once per outage when Redis rejects settlements. An unreachable Redis is reported elsewhere,
   *   and requests are refused meanwhile
   * @param receiptBytes memory in Redis for the receipts of a shard; 0 if requests have none
   */
  constructor(
    redis: RedisLink,
    turn: Turn,
    metrics: Pick<RedisMetrics, 'answered' | 'failed'>,
    onError: (error: Error) => void,
    receiptBytes = 0
  ) {
    this.#redis = redis
    this.#turn = turn
    this.#metrics = metrics
    this.#onError = onError
    this.#receiptBytes = receiptBytes
  }

  /** Number of settlements and cancellations without an acknowledgement. */
  get waiting(): number {
    return this.#waiting
  }

  get isFull(): boolean {
    return this.#waiting >= maxWaiting
  }

  settle(account: PreparedAccount, request: SettledRequest, trace: SettlementTrace | null = null): void {
    this.#waiting++
    if (trace !== null) this.#traces.set(request.id, trace)
    this.#outboxes.addSettled(account, request)
    this.#schedule()
  }

  /** Cancels a request that Redis may have admitted, and that no upstream got. */
  cancel(account: PreparedAccount, requestId: string): void {
    this.#waiting++
    this.#outboxes.addCancelled(account, [requestId])
    this.#schedule()
  }

  /** Resolves once Redis has acknowledged everything. */
  async idle(): Promise<void> {
    if (this.#waiting > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Drops all waiting entries. Their overdue holds will be charged in full. @returns how many were dropped */
  stop(): number {
    this.#isStopped = true
    for (const timer of this.#retries) clearTimeout(timer)
    for (const trace of this.#traces.values()) trace.acknowledged('lost')
    return this.#waiting
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#turn.atEnd(this.#flush)
  }

  readonly #flush = (): void => {
    this.#isScheduled = false
    const { settled, cancelled } = this.#outboxes.takeAll()
    for (const groups of settled) {
      for (const together of togetherFor(this.#redis, groups, ({ account }) => account.shard)) {
        void this.#sendSettled(together)
      }
    }
    for (const group of cancelled) void this.#sendCancelled(group)
  }

  async #sendSettled(groups: readonly SettledGroup[]): Promise<void> {
    const sentAt = performance.now()
    const unsettled = await settle(this.#redis, groups, this.#receiptBytes)
    if (unsettled.length === 0) this.#metrics.answered(sentAt)
    let settled = 0
    for (const { requests } of groups) settled += requests.length
    for (const { group, error, tried } of unsettled) {
      const { account, requests } = group
      settled -= requests.length
      this.#failed(error, () => this.#outboxes.addTried(account, requests, tried))
    }
    if (this.#traces.size > 0) this.#endTraces(groups, unsettled)
    if (settled > 0) this.#acknowledged(settled)
  }

  async #sendCancelled({ account, ids }: CancelledGroup): Promise<void> {
    const sentAt = performance.now()
    try {
      await cancel(this.#redis, account.account, ids, this.#receiptBytes)
      this.#metrics.answered(sentAt)
      this.#acknowledged(ids.length)
    } catch (error) {
      this.#failed(error, () => this.#outboxes.addCancelled(account, ids))
    }
  }

  #endTraces(groups: readonly SettledGroup[], unsettled: ReadonlyArray<{ group: SettledGroup }>): void {
    const waiting = new Set(unsettled.flatMap(({ group }) => group.requests.map(({ id }) => id)))
    for (const { requests } of groups) {
      for (const { id } of requests) {
        if (waiting.has(id)) continue
        this.#traces.get(id)?.acknowledged(null)
        this.#traces.delete(id)
      }
    }
  }

  #acknowledged(count: number): void {
    this.#isFailing = false
    this.#retryMs = minRetryMs
    this.#waiting -= count
    if (this.#waiting > 0) return
    for (const resolve of this.#onIdle) resolve()
    this.#onIdle = []
  }

  /** Retries after a growing random wait, so that the gateways do not flood Redis when it is back. */
  #failed(error: unknown, putBack: () => void): void {
    this.#metrics.failed()
    const isKnown = error instanceof RedisAwayError && !(error instanceof RedisRefusedError)
    if (!isKnown && !this.#isFailing) {
      this.#isFailing = true
      this.#onError(withoutCommand(error as Error))
    }
    if (this.#isStopped) return
    const timer = setTimeout(
      () => {
        this.#retries.delete(timer)
        putBack()
        this.#schedule()
      },
      this.#retryMs * (0.5 + Math.random() / 2)
    )
    this.#retries.add(timer)
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs)
  }
}
