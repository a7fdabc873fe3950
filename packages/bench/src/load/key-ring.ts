/**
 * Gives each request a key: first each key once, in order; then random keys, all equally likely. A fixed order would be
 * the worst case of every cache: the next key is always the one that the cache dropped last.
 */
export class KeyRing {
  #keys: readonly string[] = []
  #used = 0
  readonly #random: () => number

  /** @param random returns numbers from 0 to below 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Replaces all keys and starts again with the first. */
  fill(keys: readonly string[]): void {
    this.#keys = keys
    this.#used = 0
  }

  /** @throws if there are no keys */
  next(): string {
    const { length } = this.#keys
    if (length === 0) throw new Error('requests need different keys, but there are no keys')
    return this.#keys[this.#used < length ? this.#used++ : Math.floor(this.#random() * length)]!
  }
}
