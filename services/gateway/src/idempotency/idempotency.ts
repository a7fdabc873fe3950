import { randomUUID } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { claimRequest, keptMs } from '@tollgate/state/idempotency/idempotency.ts'
import { RedisAwayError } from '@tollgate/state/link/redis-link.ts'
import type { IdempotencyMetrics } from '../telemetry/idempotency-metrics.ts'
import { Claim } from './claim.ts'
import { ClaimWaits, type Waiting } from './claim-waits.ts'
import { ClaimWriter, type ClaimWriterParts } from './claim-writer.ts'
import type { Claimed } from './claimed.ts'
import { openAnswer } from './kept-answer.ts'
import type { SealedRequest } from './repeatable-request.ts'

/** How long the gateway waits for Redis to acknowledge the last ends of claims after `hurry`. */
const lastEndsMs = 2000

/** Gives repeated requests the answer of the first one. */
export interface Idempotency {
  readonly metrics: IdempotencyMetrics
  /** Claims a request, in one round trip. @throws ServiceError state_unavailable */
  claim(request: SealedRequest): Promise<Claimed>
  /** Waits for a running request. @param failure why the request cannot wait longer; null while it can */
  wait(request: SealedRequest, failure: () => ServiceError | null): Waiting
  /** After that, stopping waits at most two seconds for Redis. */
  hurry(): void
  /** Resolves when Redis has acknowledged how all claims ended. */
  stop(): Promise<void>
}

/** What an {@link Idempotency} needs. */
export interface IdempotencyParts extends Omit<ClaimWriterParts, 'rememberedMs'> {
  readonly metrics: IdempotencyMetrics
  /** How long Redis holds the maximum cost of a request, ms: longer than any request. */
  readonly holdMs: number
  /** Called if a question of a request to Redis failed. */
  readonly onRedisError: () => void
  /** Called with the number of claims whose end Redis did not acknowledge in time. */
  readonly onLost: (count: number) => void
}

export function createIdempotency({ holdMs, onRedisError, onLost, ...parts }: IdempotencyParts): Idempotency {
  const { redis, metrics } = parts
  // A request without an end is charged when its hold ends. Its repeats are refused for as long after it as they get an answer.
  const rememberedMs = holdMs + keptMs
  const writer = new ClaimWriter({ ...parts, rememberedMs })
  const lastEnds = Promise.withResolvers<void>()
  let deadline: NodeJS.Timeout | undefined

  async function claim(request: SealedRequest): Promise<Claimed> {
    const token = randomUUID()
    try {
      const answer = await claimRequest(redis, request, token, rememberedMs)
      if (answer.outcome === 'claimed') return { outcome: 'claimed', claim: new Claim(request, token, writer) }
      if (answer.outcome !== 'kept') return { outcome: answer.outcome }
      const opened = openAnswer(request.answerKey, answer.answer)
      return opened === null ? { outcome: 'lost' } : { outcome: 'kept', answer: opened }
    } catch (cause) {
      // Redis may have executed it.
      if (!(cause instanceof RedisAwayError)) writer.drop(request, token)
      onRedisError()
      throw new ServiceError('state_unavailable', { cause })
    }
  }

  const waits = new ClaimWaits(claim)
  return {
    metrics,
    claim,
    wait: (request, failure) => waits.wait(request, failure),
    hurry() {
      deadline ??= setTimeout(lastEnds.resolve, lastEndsMs)
    },
    async stop() {
      await Promise.race([writer.idle(), lastEnds.promise])
      clearTimeout(deadline)
      const lost = await writer.stop()
      if (lost > 0) onLost(lost)
    }
  }
}
