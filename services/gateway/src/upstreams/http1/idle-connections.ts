/** A connection without an exchange, as {@link IdleConnections} sees it. */
export type Idle = {
  /** `performance.now()` when it became idle. */
  idleSince: number
  /** `performance.now()` from when the upstream may close it. */
  readonly idleUntil: number
  /** The turn in which it became idle. Belongs to {@link IdleConnections}, as its neighbours do. */
  idleTurn: number
  earlier: Idle | null
  later: Idle | null
  isIdle: boolean
  close(): void
}

/**
 * With so many idle connections, the oldest need not rest for longer than a turn. More would only cost: at ten thousand
 * requests a second each rests for 3 ms anyway.
 */
export const enoughIdle = 32

/**
 * Idle connections, in the order in which they became idle. The oldest is used next: what an upstream sends unasked then
 * has the longest time to arrive, and ends its connection. HTTP/1.1 has no other way to tell it from the next answer.
 *
 * A linked list like that of `Deadlines`, for its reason.
 */
export class IdleConnections<Connection extends Idle> {
  readonly #restMs: number
  #first: Connection | null = null
  #last: Connection | null = null
  #count = 0
  /** The smallest number of connections that stayed idle since the last call of `closeSpare`. */
  #spare = 0
  #turn = 0

  /** @param restMs the shortest time in milliseconds between two exchanges of a connection, while fewer than `enoughIdle` are idle */
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
   * Takes the connection that has been idle for longest. Must be called at the end of a turn of the event loop: then all
   * that had come when the turn began has been read.
   *
   * @returns null if none has rested for at least one turn, and for the whole time unless enough are idle
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

  /** To be called at the end of each turn in which a connection became idle. */
  endTurn(): void {
    this.#turn++
  }

  /** Closes half of the connections that no call needed since the last time. Being used in turn, they would never get old. */
  closeSpare(): void {
    for (let left = this.#spare >> 1; left > 0; left--) this.#first?.close()
    this.#spare = this.#count
  }
}
