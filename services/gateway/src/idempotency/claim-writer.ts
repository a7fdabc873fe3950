import { setTimeout as delay } from 'node:timers/promises'
import {
  claimRequest,
  dropClaim,
  type KeptBudget,
  keepAnswer,
  type RepeatableRequest
} from '@tollgate/state/idempotency/idempotency.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { RedisRefusedError } from '@tollgate/state/link/refused-error.ts'
import type { IdempotencyMetrics } from '../telemetry/idempotency-metrics.ts'
import type { ClaimWrites } from './claim.ts'

/** Maximum bytes of answers that wait for Redis. */
const maxWaitingBytes = 64 * 1024 * 1024
const [minRetryMs, maxRetryMs] = [50, 1000]

/** What a {@link ClaimWriter} needs. */
export interface ClaimWriterParts {
  readonly redis: RedisLink
  readonly budget: KeptBudget
  readonly metrics: Pick<IdempotencyMetrics, 'kept' | 'failed'>
  /** How long a claim is remembered whose holder never says how it ended, ms. */
  readonly rememberedMs: number
  /** Called once per outage when Redis rejects answers, but not while Redis is unreachable: that is reported elsewhere. */
  readonly onError: (error: Error) => void
}

/**
 * Tells Redis how claims end, until Redis acknowledges it. Meanwhile Redis remembers the claim, so no repeat runs.
 */
export class ClaimWriter implements ClaimWrites {
  readonly #parts: ClaimWriterParts
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #waitingBytes = 0
  #isFailing = false

  constructor(parts: ClaimWriterParts) {
    this.#parts = parts
  }

  async renew(request: RepeatableRequest, token: string): Promise<boolean> {
    const { redis, rememberedMs } = this.#parts
    // A claim that could not be renewed may still be held.
    const answer = await Promise.resolve()
      .then(() => claimRequest(redis, request, token, rememberedMs))
      .catch(() => null)
    return answer === null || answer.outcome === 'claimed'
  }

  keep(request: RepeatableRequest, token: string, answer: Buffer | null): void {
    const { redis, budget, metrics } = this.#parts
    // In a long outage, repeats of further answers learn that these are not kept.
    const isKept = answer !== null && this.#waitingBytes + answer.length <= maxWaitingBytes
    const bytes = isKept ? answer.length : 0
    this.#waitingBytes += bytes
    this.#start(async (isRetry) => {
      const { outcome, evicted } = await keepAnswer(redis, request, token, isKept ? answer : null, budget)
      this.#waitingBytes -= bytes
      // Redis may have executed an attempt without an acknowledgement.
      metrics.kept(isRetry && outcome === 'other' ? (isKept ? 'kept' : 'lost') : outcome, evicted)
    })
  }

  drop(request: RepeatableRequest, token: string): void {
    this.#start(() => dropClaim(this.#parts.redis, request, token))
  }

  /** Resolves once Redis has acknowledged everything. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Gives up. Repeats of these requests are refused. @returns how many ends are lost */
  async stop(): Promise<number> {
    const lost = this.#underWay.size
    this.#stopping.abort()
    await this.idle()
    return lost
  }

  #start(write: (isRetry: boolean) => Promise<void>): void {
    const writing = this.#untilAcknowledged(write)
    this.#underWay.add(writing)
    void writing.finally(() => this.#underWay.delete(writing))
  }

  /** Retries after a growing random wait, so that the gateways do not flood Redis when it is back. */
  async #untilAcknowledged(write: (isRetry: boolean) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    for (let retryMs = minRetryMs; ; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
      try {
        await write(retryMs > minRetryMs)
        this.#isFailing = false
        return
      } catch (error) {
        this.#failed(error as Error)
      }
      if (signal.aborted) return
      await delay(retryMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  #failed(error: Error): void {
    this.#parts.metrics.failed()
    const isKnown = error instanceof RedisAwayError && !(error instanceof RedisRefusedError)
    if (isKnown || this.#isFailing) return
    this.#isFailing = true
    this.#parts.onError(withoutCommand(error))
  }
}
