import { isComplete, type ReportedUsage, readUsageText } from './usage.ts'

/** Far more than any usage object has. */
const maxUsageBytes = 16_384
/** What is kept of an answer, for the case that it does not report all that it used. */
const maxKeptBytes = 1024 * 1024

/**
 * Gathers the usage that an answer of one JSON object reports, as its bytes pass: its own member `usage`, and no other that is
 * nested in it. Of several the last counts.
 */
export class AnswerUsage {
  /** null until it has come. */
  usage: ReportedUsage | null = null
  /** Where the usage begins whose bytes are gathered, of the whole; -1 without one. */
  #from = -1
  #isOpen = false
  #gathered: Buffer[] = []
  #kept: Buffer[] | null = null
  #keptBytes = 0
  #passedBytes = 0

  /**
   * @param chunk is kept
   * @param from where the last usage object begins of all that has passed, with this chunk; -1 without one
   * @param end where it ends, -1 if it has not
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
      if (end >= 0) this.usage = readUsageText(Buffer.concat(this.#gathered).toString()) ?? this.usage
      this.#isOpen = end < 0 && this.#passedBytes - from <= maxUsageBytes
      if (!this.#isOpen) this.#gathered = []
    }
    if (isComplete(this.usage)) {
      this.#kept = null
      this.#keptBytes = 0
    } else if (this.#keptBytes === this.#passedBytes - chunk.length && this.#keptBytes < maxKeptBytes) {
      this.#kept ??= []
      this.#kept.push(chunk)
      this.#keptBytes += chunk.length
    }
  }

  /** The beginning of what passed, while its usage was not complete; and how many bytes are not kept. */
  passed(): { bytes: Buffer; unseenBytes: number } {
    return { bytes: Buffer.concat(this.#kept ?? []), unseenBytes: this.#passedBytes - this.#keptBytes }
  }
}
