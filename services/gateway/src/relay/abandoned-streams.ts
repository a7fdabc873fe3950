/**
 * How many streams are read to their end although their client has left: to learn their usage, where a part of the answer
 * does not tell what the provider bills.
 */
export class AbandonedStreams {
  readonly #max: number
  #count = 0

  /** @param max so many at the same time */
  constructor(max: number) {
    this.#max = max
  }

  /** @returns whether one more may be read; then {@link left} must be called when it is over */
  entered(): boolean {
    if (this.#count >= this.#max) return false
    this.#count++
    return true
  }

  left(): void {
    this.#count--
  }
}
