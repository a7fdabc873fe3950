/**
 * The keys that requests carry in turn: each once, in their order, and from then on each time one at random, all equally
 * likely. (Always in the same order would be the worst case of every cache: the next is always what was dropped last.)
 */
export class KeyRing {
  #keys: readonly string[] = []
  #used = 0
  readonly #random: () => number

  /** @param random draws from [0, 1) */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Begins anew, with these. */
  fill(keys: readonly string[]): void {
    this.#keys = keys
    this.#used = 0
  }

  /** @throws if there are none */
  next(): string {
    const { length } = this.#keys
    if (length === 0) throw new Error('requests are to carry different keys, and there are none')
    return this.#keys[this.#used < length ? this.#used++ : Math.floor(this.#random() * length)]!
  }
}
