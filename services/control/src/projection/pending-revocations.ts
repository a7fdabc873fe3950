/** Further revocations are not measured while so many wait. */
const maxPending = 10_000

/** Measures how long revocations take: from the commit in PostgreSQL until Redis has them. */
export class PendingRevocations {
  readonly #committedAt = new Map<string, number>()
  readonly #onAcknowledged: (ms: number) => void
  readonly #now: () => number

  /** @param now monotonic clock, milliseconds */
  constructor(onAcknowledged: (ms: number) => void, now: () => number = () => performance.now()) {
    this.#onAcknowledged = onAcknowledged
    this.#now = now
  }

  /** Call it right after the commit. A repeated call for a key that still waits changes nothing. */
  committed(key: string): void {
    if (this.#committedAt.has(key) || this.#committedAt.size === maxPending) return
    this.#committedAt.set(key, this.#now())
  }

  acknowledged(key: string): void {
    const committedAt = this.#committedAt.get(key)
    if (committedAt === undefined) return
    this.#committedAt.delete(key)
    this.#onAcknowledged(this.#now() - committedAt)
  }

  /** Redis has all that was committed before this time, of the same clock. */
  acknowledgedUntil(time: number): void {
    for (const [key, committedAt] of this.#committedAt) if (committedAt <= time) this.acknowledged(key)
  }
}
