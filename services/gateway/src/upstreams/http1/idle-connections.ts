/** What {@link IdleConnections} needs of an idle connection. */
export interface Idle {
  /** `performance.now()` when it became idle. */
  idleSince: number
  /** `performance.now()` after which the upstream may close it. */
  readonly idleUntil: number
  /** The turn in which it became idle. This and the members below belong to {@link IdleConnections}. */
  idleTurn: number
  earlier: Idle | null
  later: Idle | null
  isIdle: boolean
  close(): void
}

/**
 * With this many idle connections, the oldest one need not rest longer than a turn. At ten thousand requests per second, each rests
 * for 3 ms anyway.
 */
export const enoughIdle = 32

/**
 * Idle connections, in the order in which they became idle. The oldest is used next. Then unexpected bytes of an upstream have the
 * longest time to arrive, and to close their connection. HTTP/1.1 has no other way to tell them from the next answer.
 *
 * A linked list; `Deadlines` explains why.
 */
export class IdleConnections<Connection extends Idle> {
  readonly #restMs: number
  #first: Connection | null = null
  #last: Connection | null = null
  #count = 0
  /** The lowest number of idle connections since the last call of `closeSpare`. */
  #spare = 0
  #turn = 0

  /** @param restMs minimum time between two exchanges of a connection, milliseconds, while fewer than `enoughIdle` are idle */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  add(connection: Connection): void {
    connection.isIdle = true
    connection.idleTurn = this.#turn
    connection.earlier = this.#last
    if (this.#last === null) this.#first = connection
    else this.#last.later = connection
    this.#last = connection
    this.#count++
  }

  /** Has no effect on a connection that is not idle. */
  remove(connection: Connection): void {
    if (!connection.isIdle) return
    const { earlier, later } = connection
    if (earlier !== null) earlier.later = later
    else this.#first = later as Connection | null
    if (later !== null) later.earlier = earlier
    else this.#last = earlier as Connection | null
    connection.isIdle = false
    connection.earlier = null
    connection.later = null
    this.#count--
    if (this.#count < this.#spare) this.#spare = this.#count
  }

  /**
   * Takes the connection that has been idle longest. Call it at the end of a turn of the event loop: then all bytes that had arrived
   * before the turn have been read.
   *
   * @returns null if no connection has rested for a turn, and for `restMs` unless enough are idle
   */
  take(now: number): Connection | null {
    for (let oldest = this.#first; oldest !== null; oldest = this.#first) {
      if (oldest.idleTurn === this.#turn) return null
      if (now - oldest.idleSince < this.#restMs && this.#count < enoughIdle) return null
      this.remove(oldest)
      if (now < oldest.idleUntil) return oldest
      oldest.close()
    }
    return null
  }

  /** Call this at the end of each turn in which a connection became idle. */
  endTurn(): void {
    this.#turn++
  }

  /** Closes half of the connections that no call has needed since the last time. They are used in rotation, so none would expire. */
  closeSpare(): void {
    for (let left = this.#spare >> 1; left > 0; left--) this.#first?.close()
    this.#spare = this.#count
  }
}
