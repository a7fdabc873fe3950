/**
 * A bounded map that keeps the entries in use. New entries go into the young generation. When it is full, it replaces
 * the old generation. An entry found in the old generation moves to the young one. A hit needs no reordering, unlike in
 * an LRU list.
 */
export class GenerationalCache<Value> {
  readonly #limit: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** @param limit entries per generation; the map holds at most twice as many */
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

  get size(): number {
    return this.#young.size + this.#old.size
  }

  set(name: string, value: Value): void {
    if (this.#young.size >= this.#limit) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#old.delete(name)
    this.#young.set(name, value)
  }
}
