/**
 * A bounded map that keeps what is used: entries live in a young generation, which becomes the old one when it is full;
 * what is found in the old one moves back. A hit costs one look-up and no reordering, unlike in an LRU list.
 */
export class GenerationalCache<Value> {
  readonly #limit: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** @param limit entries of a generation; at most twice as many are held */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(name: string): Value | undefined {
    const young = this.#young.get(name)
    if (young !== undefined) return young
    const old = this.#old.get(name)
    if (old !== undefined) this.set(name, old)
    return old
  }

  set(name: string, value: Value): void {
    if (this.#young.size >= this.#limit) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(name, value)
  }
}
