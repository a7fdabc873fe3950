import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  claimRequest,
  dropClaim,
  type KeptBudget,
  keepAnswer,
  type RepeatableRequest
} from '@tollgate/state/idempotency/idempotency.ts'
import { backgroundWrites } from '@tollgate/state/link/background-writes.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { IdempotencyMetrics } from '../telemetry/idempotency-metrics.ts'
import { Claim, type ClaimWrites } from './claim.ts'
import { ClaimWaits, type Waiting } from './claim-waits.ts'
import type { Claimed } from './claimed.ts'
import { unpackAnswer } from './kept-answer.ts'

/** Gives repeated requests the answer of the first one. */
export interface Idempotency {
  readonly metrics: IdempotencyMetrics
  /** Claims a request, in one round trip. @throws ServiceError state_unavailable */
  claim(request: RepeatableRequest): Promise<Claimed>
  /** Waits for a running request. @param failure why the request cannot wait longer; null while it can */
  wait(request: RepeatableRequest, failure: () => ServiceError | null): Waiting
  /** Resolves when no write is under way. */
  stop(): Promise<void>
}

/** What an {@link Idempotency} needs. */
export interface IdempotencyParts {
  readonly redis: RedisLink
  readonly budget: KeptBudget
  readonly metrics: IdempotencyMetrics
  /** Called if a question of a request to Redis failed. */
  readonly onRedisError: () => void
  /** Called once per outage when Redis rejects answers, but not while Redis is unreachable: that is reported elsewhere. */
  readonly onError: (error: Error) => void
}

export function createIdempotency({ redis, budget, metrics, onRedisError, onError }: IdempotencyParts): Idempotency {
  const background = backgroundWrites(onError)
  const write = (run: () => Promise<void>): void =>
    background.start(async () => {
      try {
        await run()
      } catch (error) {
        metrics.failed()
        throw error
      }
    })

  const writes: ClaimWrites = {
    async renew(request, token) {
      // A claim that could not be renewed may still be held.
      const answer = await Promise.resolve()
        .then(() => claimRequest(redis, request, token))
        .catch(() => null)
      return answer === null || answer.outcome === 'claimed'
    },
    keep: (request, token, answer) =>
      write(async () => {
        const { outcome, evicted } = await keepAnswer(redis, request, token, answer, budget)
        metrics.kept(outcome, evicted)
      }),
    drop: (request, token) => write(async () => dropClaim(redis, request, token))
  }

  async function claim(request: RepeatableRequest): Promise<Claimed> {
    const token = randomUUID()
    try {
      const answer = await claimRequest(redis, request, token)
      if (answer.outcome === 'claimed') return { outcome: 'claimed', claim: new Claim(request, token, writes) }
      if (answer.outcome === 'kept') return { outcome: 'kept', answer: unpackAnswer(answer.answer) }
      return { outcome: answer.outcome }
    } catch (cause) {
      onRedisError()
      throw new ServiceError('state_unavailable', { cause })
    }
  }

  const waits = new ClaimWaits(claim)
  return {
    metrics,
    claim,
    wait: (request, failure) => waits.wait(request, failure),
    stop: () => background.stop()
  }
}
