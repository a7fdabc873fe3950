import { decodeText } from './json-text.ts'

/** Up to this many names of an object are compared one by one. More go into a set. */
const comparedNames = 12

/** Finds repeated names in objects that may have any names. Objects may be nested. */
export class UniqueNames {
  readonly #bytes: Buffer
  /** Start and end of each name of all open objects. */
  readonly #places: number[] = []
  #used = 0
  /** Where the names of each open object begin in `#places`. */
  readonly #bases: number[] = []
  /** Sets of the open objects with many names, or with escapes in names. */
  readonly #sets: Array<Set<string> | null> = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  open(): void {
    this.#bases.push(this.#used)
    this.#sets.push(null)
  }

  close(): void {
    this.#used = this.#bases.pop()!
    this.#sets.pop()
  }

  /** @returns false if the innermost object already has the name */
  add(start: number, end: number, hasEscape: boolean): boolean {
    const top = this.#sets.length - 1
    const base = this.#bases[top]!
    const set = this.#sets[top]!
    if (set !== null) {
      const { size } = set
      return set.add(decodeText(this.#bytes, start, end)).size > size
    }
    for (let at = base; at < this.#used; at += 2) {
      if (this.#isSame(this.#places[at]!, this.#places[at + 1]!, start, end)) return false
    }
    this.#places[this.#used++] = start
    this.#places[this.#used++] = end
    return hasEscape || this.#used - base > 2 * comparedNames ? this.#startSet(top, base) : true
  }

  #startSet(top: number, base: number): boolean {
    const names = new Set<string>()
    for (let at = base; at < this.#used; at += 2) {
      names.add(decodeText(this.#bytes, this.#places[at]!, this.#places[at + 1]!))
    }
    const count = (this.#used - base) / 2
    this.#sets[top] = names
    this.#used = base
    return names.size === count
  }

  #isSame(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    const length = end - start
    if (length !== otherEnd - otherStart) return false
    const bytes = this.#bytes
    for (let index = 0; index < length; index++) {
      if (bytes[start + index] !== bytes[otherStart + index]) return false
    }
    return true
  }
}
