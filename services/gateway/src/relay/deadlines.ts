const lookEveryMs = 1000

/** Something that must not last longer than all others may. */
export type Expiring = {
  /** `performance.now()` when it began. */
  readonly beganAt: number
  /** Ends it. It is not asked twice. */
  expire(): void
}

/** Ends what lasts too long. All have the same time, so that only the one that began first is looked at. */
export class Deadlines {
  readonly #limitMs: number
  readonly #under = new Set<Expiring>()
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  began(one: Expiring): void {
    this.#under.add(one)
    this.#timer ??= setInterval(() => this.#look(), Math.min(lookEveryMs, this.#limitMs)).unref()
  }

  ended(one: Expiring): void {
    this.#under.delete(one)
  }

  #look(): void {
    const now = performance.now()
    for (const one of this.#under) {
      if (now - one.beganAt < this.#limitMs) return
      this.#under.delete(one)
      one.expire()
    }
  }
}
