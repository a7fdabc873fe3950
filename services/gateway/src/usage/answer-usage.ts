import { findName } from '../body/find-name.ts'
import { closeBrace } from '../body/json-bytes.ts'
import { isComplete, type ReportedUsage } from './usage.ts'
import { usageAt, usageName } from './usage-name.ts'

/** Far more than any usage object has. */
const longestUsage = 16_384
/** What is kept of an answer, for the case that it does not report all that it used. */
const keptLimit = 1024 * 1024

/**
 * Finds the usage that an answer of one JSON object reports, in its bytes as they pass. It may stand anywhere in the
 * answer; providers differ in that. Of several the last counts.
 */
export class AnswerUsage {
  /** null until it has been found. */
  usage: ReportedUsage | null = null
  /** The end of what has passed, if a usage object may have begun there. */
  #open: Buffer | null = null
  #kept: Buffer[] | null = null
  #keptBytes = 0
  #passedBytes = 0

  /** @param chunk is kept */
  push(chunk: Buffer): void {
    this.#passedBytes += chunk.length
    const bytes = this.#open === null ? chunk : Buffer.concat([this.#open, chunk])
    this.#open = null
    const text = bytes.toString('latin1')
    let at = findName(text, usageName, 0)
    while (at >= 0) {
      const found = usageAt(bytes, at)
      if (found === 'cut') {
        if (bytes.length - at <= longestUsage) this.#open = bytes.subarray(at)
        break
      }
      if (found.usage !== null) this.usage = found.usage
      at = findName(text, usageName, found.end)
    }
    this.#open ??= openName(bytes)
    if (isComplete(this.usage)) {
      this.#kept = null
      this.#keptBytes = 0
    } else if (this.#keptBytes === this.#passedBytes - chunk.length && this.#keptBytes < keptLimit) {
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

/** The end of some bytes, as far as it is a beginning of the name. */
function openName(bytes: Buffer): Buffer | null {
  // Most answers end with a brace.
  if (bytes[bytes.length - 1] === closeBrace) return null
  for (let length = Math.min(inQuotes.length - 1, bytes.length); length > 0; length--) {
    const end = bytes.subarray(bytes.length - length)
    if (inQuotes.startsWith(end.toString('latin1'))) return end
  }
  return null
}

const inQuotes = `"${usageName.end}`
