/** A pause is not told again if it differs less from the known one, ms: an upstream may refuse many calls at once. */
const minDifferenceMs = 100

/**
 * The pauses of an upstream's models, by the upstream's model names: it asked for them, or the operator has to repair
 * something first. Other upstreams are called meanwhile: see `targets.ts`. The latest word counts.
 *
 * Times are milliseconds of one monotonic clock.
 */
export class Pauses {
  /** When each model accepts calls again. */
  readonly until = new Map<string, number>()
  readonly #onPause: (model: string, ms: number) => void

  /** @param onPause called after a pause began, unless by {@link follow} */
  constructor(onPause: (model: string, ms: number) => void = () => {}) {
    this.#onPause = onPause
  }

  /** Milliseconds until the model accepts calls; 0 if it does now. */
  leftMs(model: string, now: number): number {
    return Math.max(0, (this.until.get(model) ?? 0) - now)
  }

  begin(model: string, ms: number, now: number): void {
    const isNews = Math.abs(ms - this.leftMs(model, now)) >= minDifferenceMs
    this.follow(model, ms, now)
    if (isNews) this.#onPause(model, ms)
  }

  /** Takes over a pause that another process was asked for just now. */
  follow(model: string, ms: number, now: number): void {
    this.until.set(model, now + ms)
  }
}
