import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { claimRequest, type KeptBudget, keptMs } from '@tollgate/state/idempotency/idempotency.ts'
import { accountShards } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError } from '@tollgate/state/link/redis-link.ts'
import type { IdempotencyMetrics } from '../telemetry/idempotency-metrics.ts'
import { Claim, type Claimed, ClaimWriter, type ClaimWriterParts } from './claim.ts'
import { openAnswer } from './kept-answer.ts'
import type { SealedRequest } from './repeatable-request.ts'

const minMb = 256

/** A rule for `loadConfig`. */
export function checkIdempotency({
  IDEMPOTENCY_MEMORY_MB: memoryMb
}: {
  IDEMPOTENCY_MEMORY_MB: number
}): string | null {
  // An account's share must have room for the longest answer.
  return memoryMb > 0 && memoryMb < minMb ? `IDEMPOTENCY_MEMORY_MB: must be 0, or ${minMb} or more` : null
}

/**
 * Divides the memory. Accounts are spread over shards, and an account gets half of its shard's part: others keep
 * theirs.
 */
export function keptBudget(memoryMb: number): KeptBudget {
  const shardBytes = Math.floor((memoryMb * 1024 * 1024) / accountShards.length)
  return { shardBytes, accountBytes: Math.floor(shardBytes / 2) }
}

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
  // A request without an end is charged when its hold ends. Its repeats are refused for as long after it as they get an
  // answer.
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

/** How often Redis is asked, ms. */
const pollMs = 250

/** A request that waits for the answer of an equal one. */
interface Waiter {
  readonly resolve: (claimed: Claimed) => void
  readonly reject: (error: unknown) => void
  readonly failure: () => ServiceError | null
}

/** A waiting request. */
interface Waiting {
  /** What became of the other request; never `running`. It does not settle after {@link leave}. */
  readonly claimed: Promise<Claimed>
  /** Stops waiting: the client has left. */
  leave(): void
}

/**
 * Waits until the answer of a running request is kept, or until its claim is free. Equal requests of this process share
 * their questions to Redis; if the claim is free, the one that has waited longest gets it.
 */
class ClaimWaits {
  readonly #ask: (request: SealedRequest) => Promise<Claimed>
  readonly #open = new Map<string, Set<Waiter>>()

  /** @param ask claims a request */
  constructor(ask: (request: SealedRequest) => Promise<Claimed>) {
    this.#ask = ask
  }

  /** @param failure why the request cannot wait longer; null while it can */
  wait(request: SealedRequest, failure: () => ServiceError | null): Waiting {
    const { promise: claimed, resolve, reject } = Promise.withResolvers<Claimed>()
    const waiter: Waiter = { resolve, reject, failure }
    const { account, digest, fingerprint, answerKey } = request
    // Requests with another secret of the API key cannot read the same answer.
    const name = `${account} ${digest} ${fingerprint} ${answerKey.toString('hex')}`
    let waiters = this.#open.get(name)
    if (waiters !== undefined) waiters.add(waiter)
    else {
      waiters = new Set([waiter])
      this.#open.set(name, waiters)
      void this.#poll(request, name, waiters)
    }
    return { claimed, leave: () => void waiters.delete(waiter) }
  }

  async #poll(request: SealedRequest, name: string, waiters: Set<Waiter>): Promise<void> {
    while (true) {
      await delay(pollMs)
      for (const waiter of waiters) {
        const failure = waiter.failure()
        if (failure === null) continue
        waiters.delete(waiter)
        waiter.reject(failure)
      }
      if (waiters.size === 0) break
      let claimed: Claimed
      try {
        claimed = await this.#ask(request)
      } catch (error) {
        for (const { reject } of waiters) reject(error)
        break
      }
      if (claimed.outcome === 'running') continue
      if (claimed.outcome === 'claimed') {
        const [first] = waiters
        if (first === undefined) {
          claimed.claim.drop()
          break
        }
        waiters.delete(first)
        first.resolve(claimed)
        continue
      }
      for (const { resolve } of waiters) resolve(claimed)
      break
    }
    this.#open.delete(name)
  }
}
