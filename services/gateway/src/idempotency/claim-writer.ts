import {
  claimRequest,
  dropClaim,
  type KeptBudget,
  keepAnswer,
  type RepeatableRequest
} from '@tollgate/state/idempotency/idempotency.ts'
import { BackgroundWrites } from '@tollgate/state/link/background-writes.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { IdempotencyMetrics } from '../telemetry/idempotency-metrics.ts'
import type { ClaimWrites } from './claim.ts'

/** Maximum bytes of answers that wait for Redis. */
const maxWaitingBytes = 64 * 1024 * 1024

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
  readonly #writes: BackgroundWrites
  #waitingBytes = 0

  constructor(parts: ClaimWriterParts) {
    this.#parts = parts
    this.#writes = new BackgroundWrites(parts.onError, () => parts.metrics.failed())
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
    this.#writes.start(async (isRetry) => {
      const { outcome, evicted } = await keepAnswer(redis, request, token, isKept ? answer : null, budget)
      this.#waitingBytes -= bytes
      // Redis may have executed an attempt without an acknowledgement.
      metrics.kept(isRetry && outcome === 'other' ? (isKept ? 'kept' : 'lost') : outcome, evicted)
    })
  }

  drop(request: RepeatableRequest, token: string): void {
    this.#writes.start(() => dropClaim(this.#parts.redis, request, token))
  }

  /** Resolves once Redis has acknowledged everything. */
  idle(): Promise<void> {
    return this.#writes.idle()
  }

  /** Gives up. Repeats of these requests are refused. @returns how many ends are lost */
  stop(): Promise<number> {
    return this.#writes.stop()
  }
}
