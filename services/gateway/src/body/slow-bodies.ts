import { IntervalChecks } from '../event-loop/interval-checks.ts'

/** 128 kbit/s: a slow phone. */
const minBytesPerSecond = 16 * 1024
/** A body of known length must arrive within these seconds plus the grace, because a large body holds much memory. */
const maxSeconds = 90
const checksPerGrace = 10

/** A body that is arriving. */
export interface ArrivingBody {
  /** Length in bytes, -1 if unknown. */
  readonly expectedBytes: number
  readonly arrivedBytes: number
  /** Whether the gateway itself has paused reading. */
  readonly isHeldBack: boolean
  /** Whether its client has left. */
  readonly isAbandoned: boolean
  /** Ends it with a failure. */
  cutOff(): void
  /** Ends it without an answer. */
  forget(): void
  /** The members below belong to {@link SlowBodies}. `spareMs` is the grace that is left. */
  seenBytes: number
  spareMs: number
  earlier: ArrivingBody | null
  later: ArrivingBody | null
}

/** Minimum rate for a body of this length, bytes per second. */
export function minRate(expectedBytes: number): number {
  return Math.max(minBytesPerSecond, expectedBytes / maxSeconds)
}

/**
 * Ends bodies that arrive too slowly for their size, because they hold memory that others need. A body may lag behind
 * its minimum rate by a grace in total. Bytes that arrive faster than the rate restore the grace.
 *
 * One timer checks all bodies; no timer runs while no body is arriving. They form a linked list; `Deadlines` explains
 * why.
 */
export class SlowBodies {
  readonly #graceMs: number
  readonly #everyMs: number
  #first: ArrivingBody | null = null
  readonly #checks: IntervalChecks

  /** @param graceMs a body that stops arriving is ended after this time, or up to a tenth of it later */
  constructor(graceMs: number) {
    this.#graceMs = graceMs
    this.#everyMs = graceMs / checksPerGrace
    this.#checks = new IntervalChecks(this.#everyMs, () => this.#check())
  }

  began(body: ArrivingBody): void {
    body.spareMs = this.#graceMs
    body.later = this.#first
    if (this.#first !== null) this.#first.earlier = body
    this.#first = body
    this.#checks.start()
  }

  /** Has no effect on a body that has already ended. */
  ended(body: ArrivingBody): void {
    const { earlier, later } = body
    if (earlier !== null) earlier.later = later
    else if (this.#first === body) this.#first = later
    if (later !== null) later.earlier = earlier
    body.earlier = null
    body.later = null
  }

  #check(): void {
    if (this.#first === null) this.#checks.stop()
    for (let body = this.#first; body !== null; ) {
      const { later } = body
      if (body.isAbandoned) body.forget()
      else if (!body.isHeldBack) this.#checkBody(body)
      body = later
    }
  }

  #checkBody(body: ArrivingBody): void {
    const arrivedMs = ((body.arrivedBytes - body.seenBytes) / minRate(body.expectedBytes)) * 1000
    body.seenBytes = body.arrivedBytes
    body.spareMs = Math.min(this.#graceMs, body.spareMs + arrivedMs - this.#everyMs)
    if (body.spareMs < 0) body.cutOff()
  }
}
