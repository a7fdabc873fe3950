import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import { IntervalChecks } from '../event-loop/interval-checks.ts'

const checkEveryMs = 1000

/** A request that has not ended, with a deadline. */
export interface OpenRequest {
  /** `performance.now()` when it began. */
  readonly beganAt: number
  /** null if its key is not checked again. */
  readonly key: KnownKey | null
  /** Called at most once, at the deadline. */
  expire(): void
  /**
   * Ends the request for its client, who gets the failure. Has no effect if the client gets nothing more of the answer.
   */
  cut(failure: ServiceError): void
  /** Its neighbours in the list. Only {@link Deadlines} sets them. null outside of the list. */
  earlier: OpenRequest | null
  later: OpenRequest | null
}

/**
 * Ends requests that last too long. All have the same maximum duration, so only the oldest one is checked. After a
 * suspension of the process, sockets are read before requests expire.
 *
 * The requests are in a linked list, not in a `Set`. While entries come and go, V8 replaces the table of a `Set` now
 * and then, and the old table points to the new one. Once an old table has left the young generation, it keeps the
 * entries of all later tables alive. Copying ended requests then took a tenth of the gateway's time.
 */
export class Deadlines {
  readonly #maxMs: number
  #first: OpenRequest | null = null
  #last: OpenRequest | null = null
  readonly #checks: IntervalChecks

  /** @param maxMs maximum duration of each request */
  constructor(maxMs: number) {
    this.#maxMs = maxMs
    this.#checks = new IntervalChecks(Math.min(checkEveryMs, maxMs), () => this.#check())
  }

  add(request: OpenRequest): void {
    request.earlier = this.#last
    if (this.#last === null) this.#first = request
    else this.#last.later = request
    this.#last = request
    this.#checks.start()
  }

  /** Has no effect on an expired or removed request. */
  remove(request: OpenRequest): void {
    const { earlier, later } = request
    if (earlier !== null) earlier.later = later
    else if (this.#first === request) this.#first = later
    if (later !== null) later.earlier = earlier
    else if (this.#last === request) this.#last = earlier
    // Otherwise an ended request would keep later ones in memory.
    request.earlier = null
    request.later = null
  }

  /** The requests before their deadline, the oldest first. None may be removed meanwhile. */
  *open(): Generator<OpenRequest> {
    for (let request = this.#first; request !== null; request = request.later) yield request
  }

  #check(): void {
    const now = performance.now()
    for (let request = this.#first; request !== null && now - request.beganAt >= this.#maxMs; request = this.#first) {
      this.remove(request)
      request.expire()
    }
  }
}
