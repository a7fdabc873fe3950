import { IntervalChecks } from '../event-loop/interval-checks.ts'

const lookEveryMs = 1000

/** Something that must not last longer than all others may. */
export type Expiring = {
  /** `performance.now()` when it began. */
  readonly beganAt: number
  /** Ends it. It is not asked twice. */
  expire(): void
  /** Its neighbours while it lasts; null before and after. Belong to {@link Deadlines}. */
  earlier: Expiring | null
  later: Expiring | null
}

/**
 * Ends what lasts too long. All have the same time, so that only the one that began first is looked at. What has come
 * while the process was suspended is read first.
 *
 * What lasts is a linked list, and no `Set`: of one in which much comes and goes, V8 makes a new table now and then, to
 * which the old one points. Where an old table has left the young generation, everything that was in later ones survives
 * every collection there: copying requests that had long ended took a tenth of the gateway's time.
 */
export class Deadlines {
  readonly #limitMs: number
  #first: Expiring | null = null
  #last: Expiring | null = null
  readonly #checks: IntervalChecks

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#checks = new IntervalChecks(Math.min(lookEveryMs, limitMs), () => this.#look())
  }

  began(one: Expiring): void {
    one.earlier = this.#last
    if (this.#last === null) this.#first = one
    else this.#last.later = one
    this.#last = one
    this.#checks.start()
  }

  /** May be said again, and of what has expired. */
  ended(one: Expiring): void {
    const { earlier, later } = one
    if (earlier !== null) earlier.later = later
    else if (this.#first === one) this.#first = later
    if (later !== null) later.earlier = earlier
    else if (this.#last === one) this.#last = earlier
    // Nothing that is over may point to what comes after it.
    one.earlier = null
    one.later = null
  }

  #look(): void {
    const now = performance.now()
    for (let one = this.#first; one !== null && now - one.beganAt >= this.#limitMs; one = this.#first) {
      this.ended(one)
      one.expire()
    }
  }
}
