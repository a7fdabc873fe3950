import { isComplete, type ReportedUsage } from './usage.ts'

/** Maximum bytes of a usage object. Real ones are far shorter. */
const maxUsageBytes = 16_384
/** Maximum bytes of an answer that are kept for an estimate of missing usage. */
const maxKeptBytes = 1024 * 1024

/**
 * Reads the usage of a single body as its bytes pass. The last outer member `usage` counts. Keeps the answer until the
 * usage is complete.
 */
export class AnswerUsage {
  /** null before it arrives. */
  usage: ReportedUsage | null = null
  /** Index of the current usage object in the body; -1 before it. */
  #from = -1
  #isOpen = false
  #gathered: Buffer[] = []
  #beginning: Buffer[] | null = null
  #keptBytes = 0
  #passedBytes = 0
  readonly #read: (text: string) => ReportedUsage | null

  /** @param read reads the text of a usage object */
  constructor(read: (text: string) => ReportedUsage | null) {
    this.#read = read
  }

  /**
   * @param chunk is kept, and must not be overwritten
   * @param from index of the last usage object in the body; -1 if there is none
   * @param end index after it; -1 if it has not ended
   */
  push(chunk: Buffer, from: number, end: number): void {
    const before = this.#passedBytes
    this.#passedBytes += chunk.length
    if (from > this.#from) {
      this.#from = from
      this.#isOpen = true
      this.#gathered = []
    }
    if (this.#isOpen) {
      this.#gathered.push(chunk.subarray(Math.max(0, from - before), end < 0 ? chunk.length : end - before))
      if (end >= 0) this.usage = this.#read(Buffer.concat(this.#gathered).toString()) ?? this.usage
      this.#isOpen = end < 0 && this.#passedBytes - from <= maxUsageBytes
      if (!this.#isOpen) this.#gathered = []
    }
    if (isComplete(this.usage)) {
      this.#beginning = null
      this.#keptBytes = 0
    } else if (this.#keptBytes === this.#passedBytes - chunk.length && this.#keptBytes < maxKeptBytes) {
      this.#beginning ??= []
      this.#beginning.push(chunk)
      this.#keptBytes += chunk.length
    }
  }

  /** The kept beginning of the body, and the number of other bytes. Nothing is kept once the usage is complete. */
  passed(): { bytes: Buffer; unseenBytes: number } {
    return { bytes: Buffer.concat(this.#beginning ?? []), unseenBytes: this.#passedBytes - this.#keptBytes }
  }
}
