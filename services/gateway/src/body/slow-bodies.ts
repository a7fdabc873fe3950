import { IntervalChecks } from '../event-loop/interval-checks.ts'

/** 128 kbit/s: a slow phone. */
const minBytesPerSecond = 16 * 1024
/** A body whose length is known must arrive within so many seconds and the grace: a large one holds much memory. */
const maxSeconds = 90
const looksPerGrace = 10

/** A body that arrives. */
export type ArrivingBody = {
  /** Its length in bytes, -1 if it is not known. */
  readonly expectedBytes: number
  readonly arrivedBytes: number
  /** Whether the gateway itself has stopped reading for now. */
  readonly isHeldBack: boolean
  /** Whether its client has left. */
  readonly isAbandoned: boolean
  /** Ends it with a failure. */
  cutOff(): void
  /** Ends it without an answer. */
  forget(): void
  /** These belong to {@link SlowBodies}; `spareMs` is how much longer it may fall behind. */
  seenBytes: number
  spareMs: number
  earlier: ArrivingBody | null
  later: ArrivingBody | null
}

/** Bytes per second at which a body of this length must arrive. */
export function minRate(expectedBytes: number): number {
  return Math.max(minBytesPerSecond, expectedBytes / maxSeconds)
}

/**
 * Cuts off bodies that arrive too slowly for their size: while they arrive, they hold memory that others need. A body may
 * fall behind its minimum rate by a grace in all; whatever arrives faster than that rate restores the grace.
 *
 * One timer looks at all of them, and there is none while no body arrives. They form a linked list for the reason given at
 * `Deadlines`.
 */
export class SlowBodies {
  readonly #graceMs: number
  readonly #everyMs: number
  #first: ArrivingBody | null = null
  readonly #checks: IntervalChecks

  /** @param graceMs a body that stops is cut off after this time and at most a tenth of it more */
  constructor(graceMs: number) {
    this.#graceMs = graceMs
    this.#everyMs = graceMs / looksPerGrace
    this.#checks = new IntervalChecks(this.#everyMs, () => this.#look())
  }

  began(body: ArrivingBody): void {
    body.spareMs = this.#graceMs
    body.later = this.#first
    if (this.#first !== null) this.#first.earlier = body
    this.#first = body
    this.#checks.start()
  }

  /** May be said again. */
  ended(body: ArrivingBody): void {
    const { earlier, later } = body
    if (earlier !== null) earlier.later = later
    else if (this.#first === body) this.#first = later
    if (later !== null) later.earlier = earlier
    body.earlier = null
    body.later = null
  }

  #look(): void {
    if (this.#first === null) this.#checks.stop()
    for (let body = this.#first; body !== null; ) {
      const { later } = body
      if (body.isAbandoned) body.forget()
      else if (!body.isHeldBack) this.#lookAt(body)
      body = later
    }
  }

  #lookAt(body: ArrivingBody): void {
    const arrivedMs = ((body.arrivedBytes - body.seenBytes) / minRate(body.expectedBytes)) * 1000
    body.seenBytes = body.arrivedBytes
    body.spareMs = Math.min(this.#graceMs, body.spareMs + arrivedMs - this.#everyMs)
    if (body.spareMs < 0) body.cutOff()
  }
}
