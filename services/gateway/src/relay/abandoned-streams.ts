/**
 * Counts the streams that the gateway reads to their end after their client left, because only the end reports the
 * usage that the provider bills, or because the client may ask for the answer again.
 */
export class AbandonedStreams {
  readonly #max: number
  #count = 0

  /** @param max maximum streams at the same time */
  constructor(max: number) {
    this.#max = max
  }

  /** @returns whether the stream may be read; if so, call {@link remove} at its end */
  tryAdd(): boolean {
    if (this.#count >= this.#max) return false
    this.#count++
    return true
  }

  remove(): void {
    this.#count--
  }
}
