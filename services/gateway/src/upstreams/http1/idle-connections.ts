/** Shorter than the idle timeout of common servers (uvicorn: 5 s). */
export const defaultIdleMs = 4000
/** A burst should not keep its connections for longer, however long the upstream keeps them. */
const maxSpareMs = 4000
/** A request may be on its way when the upstream closes the connection. */
const marginMs = 1500
const maxMs = 600_000

/**
 * How long an idle connection may be reused, milliseconds; 0 or less if not at all.
 *
 * @param field the `Keep-Alive` field of its last answer, such as `timeout=5, max=100`
 * @param otherwiseMs without a time in the field
 */
export function keptOpenMs(field: string | undefined, otherwiseMs: number): number {
  if (field === undefined) return otherwiseMs
  const seconds = /(?:^|[\s,;])timeout="?(\d{1,9})/i.exec(field)?.[1]
  return seconds === undefined ? otherwiseMs : Math.min(Number(seconds) * 1000 - marginMs, maxMs)
}

/** The part of a connection that {@link IdleConnections} uses. */
export interface Idle {
  /** `performance.now()` when it became idle. */
  idleSince: number
  /** `performance.now()` after which the upstream may close it. */
  idleUntil: number
  /** The turn in which it became idle. This and the members below belong to {@link IdleConnections}. */
  idleTurn: number
  earlier: Idle | null
  later: Idle | null
  state: IdleState
  close(): void
}

/** `resting`: in rotation. `spare`: used only if no resting connection can be used. */
export type IdleState = 'in use' | 'resting' | 'spare'

/**
 * While this many connections rest, the oldest one needs to rest for only one turn, and surplus ones become spare. At
 * ten thousand requests per second, a turn has about this many requests.
 */
export const enoughIdle = 16

/**
 * Keeps idle connections in the order in which they became idle. The oldest resting connection is used next. So
 * unexpected bytes of an upstream have the most time to arrive and to close their connection. HTTP/1.1 cannot
 * distinguish them from the next answer.
 *
 * If more connections rest than needed, the oldest ones become spare. The connection that became spare last is used
 * first, so the others expire. If all connections were in rotation, none would expire, and a request would take a tenth
 * more CPU time, because their memory would rarely be in the processor's cache.
 *
 * This is a linked list: `Deadlines` explains why. The spare connections come first, then the resting ones.
 */
export class IdleConnections<Connection extends Idle> {
  readonly #restMs: number
  #oldestResting: Connection | null = null
  #last: Connection | null = null
  #resting = 0
  #turn = 0

  /** @param restMs minimum milliseconds between two exchanges of a connection, while fewer than `enoughIdle` rest */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  add(connection: Connection): void {
    connection.state = 'resting'
    connection.idleTurn = this.#turn
    connection.earlier = this.#last
    if (this.#last !== null) this.#last.later = connection
    this.#last = connection
    this.#oldestResting ??= connection
    this.#resting++
  }

  /** Has no effect on a connection that is in use. */
  remove(connection: Connection): void {
    if (connection.state === 'in use') return
    if (connection === this.#oldestResting) this.#oldestResting = connection.later as Connection | null
    if (connection.state === 'resting') this.#resting--
    const { earlier, later } = connection
    if (earlier !== null) earlier.later = later
    if (later !== null) later.earlier = earlier
    else this.#last = earlier as Connection | null
    connection.state = 'in use'
    connection.earlier = null
    connection.later = null
  }

  /**
   * Takes a connection that has rested. Call this at the end of a turn of the event loop, after all bytes that arrived
   * before the turn were read.
   *
   * @returns null if no connection has rested for a turn, and for `restMs` unless enough rest
   */
  take(now: number): Connection | null {
    for (let next = this.#next(now); next !== null; next = this.#next(now)) {
      this.remove(next)
      if (now < next.idleUntil) return next
      next.close()
    }
    return null
  }

  #next(now: number): Connection | null {
    const oldest = this.#oldestResting
    if (oldest === null) return this.#last
    const hasRested = this.#resting >= enoughIdle || now - oldest.idleSince >= this.#restMs
    return hasRested && oldest.idleTurn !== this.#turn ? oldest : (oldest.earlier as Connection | null)
  }

  /** Call this at the end of each turn in which a connection became idle, after all calls of `take`. */
  endTurn(): void {
    for (let oldest = this.#oldestResting; oldest !== null && this.#isSurplus(oldest); oldest = this.#oldestResting) {
      oldest.state = 'spare'
      oldest.idleUntil = Math.min(oldest.idleUntil, oldest.idleSince + maxSpareMs)
      this.#oldestResting = oldest.later as Connection | null
      this.#resting--
    }
    this.#turn++
  }

  /** Whether a connection was usable but unused in this turn, and enough others rest. */
  #isSurplus({ idleTurn }: Connection): boolean {
    return this.#resting > enoughIdle && idleTurn !== this.#turn
  }
}
