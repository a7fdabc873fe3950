/**
 * Counts the streams that are read to their end although their client has left. Their usage is unknown before that, because
 * the provider bills more than the part that has come.
 */
export class AbandonedStreams {
  readonly #max: number
  #count = 0

  /** @param max streams at the same time */
  constructor(max: number) {
    this.#max = max
  }

  /** @returns whether there is room for the stream; if so, call {@link remove} when it is over */
  tryAdd(): boolean {
    if (this.#count >= this.#max) return false
    this.#count++
    return true
  }

  remove(): void {
    this.#count--
  }
}
