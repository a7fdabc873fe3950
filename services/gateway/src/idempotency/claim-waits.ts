import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Claimed } from './claimed.ts'
import type { SealedRequest } from './repeatable-request.ts'

/** How often Redis is asked, ms. */
const pollMs = 250

/** A request that waits for the answer of an equal one. */
interface Waiter {
  readonly resolve: (claimed: Claimed) => void
  readonly reject: (error: unknown) => void
  readonly failure: () => ServiceError | null
}

/** A waiting request. */
export interface Waiting {
  /** What became of the other request; never `running`. It does not settle after {@link leave}. */
  readonly claimed: Promise<Claimed>
  /** Stops waiting: the client has left. */
  leave(): void
}

/**
 * Waits until the answer of a running request is kept, or until its claim is free. Equal requests of this process share their
 * questions to Redis; if the claim is free, the one that has waited longest gets it.
 */
export class ClaimWaits {
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
