/** Longer answers are not copied, bytes. */
export const maxCopiedBytes = 256 * 1024
const firstBytes = 4096

/** A copy of an answer, byte for byte as its client gets it, also if the client has left. */
export class AnswerCopy {
  /** null until the answer is complete. */
  contentType: string | null = null
  #bytes = Buffer.allocUnsafe(firstBytes)
  #length = 0

  /** Whether the answer is too long to be copied. */
  get isTooLong(): boolean {
    return this.#length > maxCopiedBytes
  }

  /** @param bytes may be overwritten afterwards */
  add(bytes: Buffer): void {
    const from = this.#length
    this.#length += bytes.length
    if (this.isTooLong) {
      this.#bytes = none
      return
    }
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxCopiedBytes, Math.max(this.#length, 2 * this.#bytes.length)))
      this.#bytes.copy(larger, 0, 0, from)
      this.#bytes = larger
    }
    bytes.copy(this.#bytes, from)
  }

  complete(contentType: string): void {
    this.contentType = contentType
  }

  /** The bytes so far; empty if the answer is too long. */
  get bytes(): Buffer {
    return this.isTooLong ? none : this.#bytes.subarray(0, this.#length)
  }
}

const none = Buffer.alloc(0)
