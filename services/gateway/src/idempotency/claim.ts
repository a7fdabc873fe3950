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
import { type KeptAnswer, sealAnswer } from './kept-answer.ts'
import type { SealedRequest } from './repeatable-request.ts'

/** How often a claim is renewed, ms: a third of the time that others wait for its holder. */
const renewMs = 5000

/** Renews and ends claims in Redis. Nothing rejects or throws. An end is repeated until Redis has it. */
interface ClaimWrites {
  /** @returns whether the caller still holds the claim, as far as is known */
  renew(request: RepeatableRequest, token: string): Promise<boolean>
  /** @param answer null to keep only a mark */
  keep(request: RepeatableRequest, token: string, answer: Buffer | null): void
  drop(request: RepeatableRequest, token: string): void
}

/** The right of this process to run a request, while repeats of it wait. It is renewed until it ends. */
export class Claim {
  readonly #request: SealedRequest
  readonly #token: string
  readonly #writes: ClaimWrites
  #timer: NodeJS.Timeout
  #isOver = false

  constructor(request: SealedRequest, token: string, writes: ClaimWrites) {
    this.#request = request
    this.#token = token
    this.#writes = writes
    this.#timer = this.#renewLater()
  }

  /** Keeps the answer. @param answer null for one that is too long: repeats then learn that it is not kept */
  keep(answer: KeptAnswer | null): void {
    if (!this.#end()) return
    const sealed = answer === null ? null : sealAnswer(this.#request.answerKey, answer)
    this.#writes.keep(this.#request, this.#token, sealed)
  }

  /** The request has no whole answer: the next repeat runs. Has no effect after the end of the claim. */
  drop(): void {
    if (this.#end()) this.#writes.drop(this.#request, this.#token)
  }

  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#timer)
    return true
  }

  #renewLater(): NodeJS.Timeout {
    return setTimeout(() => {
      void this.#writes.renew(this.#request, this.#token).then((isHeld) => {
        if (isHeld && !this.#isOver) this.#timer = this.#renewLater()
      })
    }, renewMs).unref()
  }
}

/** What became of a request with an `Idempotency-Key`. */
export type Claimed =
  /** Run it, and end the claim. */
  | { readonly outcome: 'claimed'; readonly claim: Claim }
  /** Another one runs it. */
  | { readonly outcome: 'running' }
  /** The API key used the `Idempotency-Key` for another request. */
  | { readonly outcome: 'other' }
  /** It was answered, but the answer is not kept, or encrypted for another secret of the API key; or nobody knows. */
  | { readonly outcome: 'lost' }
  | { readonly outcome: 'kept'; readonly answer: KeptAnswer }

/** Maximum bytes of answers that wait for Redis. */
const maxWaitingBytes = 64 * 1024 * 1024

/** What a {@link ClaimWriter} needs. */
export interface ClaimWriterParts {
  readonly redis: RedisLink
  readonly budget: KeptBudget
  readonly metrics: Pick<IdempotencyMetrics, 'kept' | 'failed'>
  /** How long a claim is remembered whose holder never says how it ended, ms. */
  readonly rememberedMs: number
  /**
   * Called once per outage when Redis rejects answers, but not while Redis is unreachable: that is reported elsewhere.
   */
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
