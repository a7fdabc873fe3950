import { IntervalChecks } from '../event-loop/interval-checks.ts'

const lookEveryMs = 1000

/** Something with a deadline. */
export interface Expiring {
  /** `performance.now()` when it began. */
  readonly beganAt: number
  /** Ends it. Called at most once. */
  expire(): void
  /** Its neighbours in the list of {@link Deadlines}, which sets them; null outside of the list. */
  earlier: Expiring | null
  later: Expiring | null
}

/**
 * Ends requests that last too long. All have the same duration, so only the first one needs a look. After a suspension of the
 * process, what has arrived is read before requests expire.
 *
 * A linked list holds the requests, not a `Set`. When entries come and go, V8 now and then makes a new table for a `Set`, and
 * the old table points to it. Once an old table has left the young generation, the entries of all later tables survive every
 * collection there. Copying requests that had long ended took a tenth of the gateway's time.
 */
export class Deadlines {
  readonly #maxMs: number
  #first: Expiring | null = null
  #last: Expiring | null = null
  readonly #checks: IntervalChecks

  /** @param maxMs how long each may last */
  constructor(maxMs: number) {
    this.#maxMs = maxMs
    this.#checks = new IntervalChecks(Math.min(lookEveryMs, maxMs), () => this.#look())
  }

  add(one: Expiring): void {
    one.earlier = this.#last
    if (this.#last === null) this.#first = one
    else this.#last.later = one
    this.#last = one
    this.#checks.start()
  }

  /** Has no effect if it has expired, or was removed before. */
  remove(one: Expiring): void {
    const { earlier, later } = one
    if (earlier !== null) earlier.later = later
    else if (this.#first === one) this.#first = later
    if (later !== null) later.earlier = earlier
    else if (this.#last === one) this.#last = earlier
    // Else an ended request would keep later ones in memory.
    one.earlier = null
    one.later = null
  }

  #look(): void {
    const now = performance.now()
    for (let one = this.#first; one !== null && now - one.beganAt >= this.#maxMs; one = this.#first) {
      this.remove(one)
      one.expire()
    }
  }
}
