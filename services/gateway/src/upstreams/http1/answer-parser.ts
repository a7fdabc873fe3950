import { ChunkedBody } from './chunked-body.ts'
import { type ParsedHead, parseHead } from './parse-head.ts'

/** Maximum bytes of the heads of one answer, with interim answers. */
const maxHeadBytes = 65_536
/** Initial buffer for a head that arrives in pieces, bytes. */
const initialBufferBytes = 1024

const anyVersion = 'HTTP/1.'
const headEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

/**
 * Parses HTTP/1.1 answers one after the other, without a connection. Call `reset` before each answer. The result does
 * not depend on how the bytes are cut.
 */
export class AnswerParser {
  /** null until it is complete. */
  head: ParsedHead | null = null
  /** The part of the body in the bytes of the last `push`. */
  body: Buffer = none
  isComplete = false
  /** The fault of the answer; null if none was found. Everything before the fault is valid. */
  fault: string | null = null
  #hasMore = false
  /** Missing bytes of a body of known length; -1 if the body ends with the connection. */
  #remaining = 0
  readonly #chunks = new ChunkedBody()
  /** Buffer for a head that arrives in pieces. */
  #gathered: Buffer = none
  #gatheredBytes = 0
  /** Bytes of the heads read so far. */
  #headBytes = 0

  /** Whether the connection can carry another exchange after this answer. */
  get leavesConnection(): boolean {
    return this.isComplete && !this.#hasMore && this.#remaining === 0 && this.head!.keepsAlive
  }

  reset(): void {
    this.head = null
    this.body = none
    this.isComplete = false
    this.fault = null
    this.#hasMore = false
    this.#remaining = 0
    this.#gathered = none
    this.#gatheredBytes = 0
    this.#headBytes = 0
  }

  /** @param bytes the next bytes, at least one. The parser may rearrange them. */
  push(bytes: Buffer): void {
    this.body = none
    if (this.isComplete || this.fault !== null) {
      this.#hasMore = true
      return
    }
    let at = 0
    if (this.head === null) {
      at = this.#readHeads(bytes)
      if (this.head === null) return
    }
    const end = this.#readBody(bytes, at, this.head)
    if (this.isComplete && end < bytes.length) this.#hasMore = true
  }

  /** Call this at the end of the connection. */
  end(): void {
    this.body = none
    if (this.isComplete || this.fault !== null) return
    // A body without a length ends here.
    if (this.head !== null && this.#remaining < 0) this.isComplete = true
    else this.fault = this.head === null ? 'it ended before its body' : 'it ended within its body'
  }

  /** @returns where the body begins, if the head is complete */
  #readHeads(bytes: Buffer): number {
    for (let at = 0; ; ) {
      const before = this.#gatheredBytes
      if (before > 0) this.#gather(bytes, at)
      const source = before > 0 ? this.#gathered.subarray(0, this.#gatheredBytes) : bytes
      const start = before > 0 ? 0 : at
      const end = source.indexOf(headEnd, Math.max(start, before - headEnd.length + 1))
      if (end < 0) {
        if (before === 0) this.#gather(bytes, at)
        this.#checkBeginning(before)
        return bytes.length
      }
      const length = end + headEnd.length - start
      at += length - before
      this.#gathered = none
      this.#gatheredBytes = 0
      this.#headBytes += length
      const head =
        this.#headBytes > maxHeadBytes ? 'its head is too long' : parseHead(source.toString('latin1', start, end + 2))
      if (typeof head === 'string') this.fault = head
      else if (head.status === 101) this.fault = 'it changes the protocol'
      else if (head.status >= 200) this.#begin(head)
      else if (!head.keepsAlive) this.fault = 'an interim answer ends the connection'
      // An interim answer: another head follows.
      else if (at < bytes.length) continue
      return at
    }
  }

  #gather(bytes: Buffer, from: number): void {
    const used = this.#gatheredBytes
    const needed = used + bytes.length - from
    if (needed > this.#gathered.length) {
      const larger = Buffer.allocUnsafe(Math.max(initialBufferBytes, 2 * this.#gathered.length, needed))
      this.#gathered.copy(larger, 0, 0, used)
      this.#gathered = larger
    }
    bytes.copy(this.#gathered, used, from)
    this.#gatheredBytes = needed
  }

  /**
   * Rejects bytes that cannot become a head at once.
   *
   * @param checked number of bytes that were checked before
   */
  #checkBeginning(checked: number): void {
    const version = this.#gathered.toString('latin1', 0, Math.min(anyVersion.length, this.#gatheredBytes))
    const added = this.#gathered.toString('latin1', Math.max(0, checked - 1), this.#gatheredBytes)
    if (this.#headBytes + this.#gatheredBytes > maxHeadBytes) this.fault = 'its head is too long'
    else if (!anyVersion.startsWith(version) || /[^\r]\n|\r[^\n]/.test(added)) this.fault = 'its head is not HTTP/1.1'
  }

  #begin(head: ParsedHead): void {
    this.head = head
    const hasNoBody = head.status === 204 || head.status === 304
    if (head.isChunked) this.#chunks.reset()
    this.#remaining = hasNoBody || head.isChunked ? 0 : head.contentLength
    this.isComplete = hasNoBody || (!head.isChunked && head.contentLength === 0)
  }

  /** @returns the index after the last byte of the body */
  #readBody(bytes: Buffer, at: number, head: ParsedHead): number {
    if (this.isComplete) return at
    if (head.isChunked) {
      const chunks = this.#chunks
      const end = chunks.read(bytes, at)
      this.body = part(bytes, chunks.from, chunks.to)
      this.isComplete = chunks.isComplete
      if (chunks.isMalformed) this.fault = 'its chunks are malformed'
      return end
    }
    if (this.#remaining < 0) {
      this.body = part(bytes, at, bytes.length)
      return bytes.length
    }
    const end = Math.min(at + this.#remaining, bytes.length)
    this.body = part(bytes, at, end)
    this.#remaining -= end - at
    this.isComplete = this.#remaining === 0
    return end
  }
}

function part(bytes: Buffer, from: number, to: number): Buffer {
  if (from === to) return none
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)
}
