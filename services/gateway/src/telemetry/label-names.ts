import { otherLabel } from '@tollgate/service/metrics/fast-series.ts'

/** How long a name stays a label after it was in force, ms. Requests are counted at their end. */
const keptMs = 3_600_000

/** Bounds the values of a label: names in force, such as the models of the catalog, and those of the last hour. */
export class LabelNames {
  readonly #now: () => number
  /** When a name stops being a label; Infinity while it is in force. */
  readonly #endsAt = new Map<string, number>()

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Sets the names in force. @returns the names that are no longer labels */
  replace(names: Iterable<string>): Set<string> {
    const now = this.#now()
    const inForce = new Set(names)
    const ended = new Set<string>()
    for (const name of inForce) this.#endsAt.set(name, Number.POSITIVE_INFINITY)
    for (const [name, endsAt] of this.#endsAt) {
      if (inForce.has(name)) continue
      if (endsAt === Number.POSITIVE_INFINITY) this.#endsAt.set(name, now + keptMs)
      else if (endsAt <= now) {
        this.#endsAt.delete(name)
        ended.add(name)
      }
    }
    return ended
  }

  /** The names that may be labels. */
  all(): string[] {
    return [...this.#endsAt.keys()]
  }

  /** @returns the name; `other` if it may not be a label */
  labelOf(name: string): string {
    return this.#endsAt.has(name) ? name : otherLabel
  }
}
