import { ChunkedBody } from './chunked-body.ts'
import { type ParsedHead, parseHead } from './parse-head.ts'

/** Maximum bytes of the heads of one answer, interim answers included. */
const maxHeadBytes = 65_536
/** Initial buffer for a head that arrives in pieces, bytes. */
const firstGathered = 1024

const anyVersion = 'HTTP/1.'
const headEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

/**
 * Parses HTTP/1.1 answers one after the other; call `reset` before each. It knows nothing of connections. The pieces in which the
 * bytes arrive do not change the result.
 */
export class AnswerParser {
  /** null until it is complete. */
  head: ParsedHead | null = null
  /** The part of the body in the bytes of the last `push`. */
  body: Buffer = none
  isComplete = false
  /** What is wrong with the answer; null if nothing so far. Everything before the fault is valid. */
  fault: string | null = null
  #hasMore = false
  /** Bytes of the body still to come, if its length is known. -1: the body ends with the connection. */
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

  /** No more bytes will come. */
  end(): void {
    this.body = none
    if (this.isComplete || this.fault !== null) return
    // A body without a length ends here.
    if (this.head !== null && this.#remaining < 0) this.isComplete = true
    else this.fault = this.head === null ? 'it ended before it began' : 'it ended within its body'
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
      // An interim answer: another head follows.
      else if (at < bytes.length) continue
      return at
    }
  }

  #gather(bytes: Buffer, from: number): void {
    const used = this.#gatheredBytes
    const needed = used + bytes.length - from
    if (needed > this.#gathered.length) {
      const larger = Buffer.allocUnsafe(Math.max(firstGathered, 2 * this.#gathered.length, needed))
      this.#gathered.copy(larger, 0, 0, used)
      this.#gathered = larger
    }
    bytes.copy(this.#gathered, used, from)
    this.#gatheredBytes = needed
  }

  /**
   * Rejects bytes that cannot become a head, without waiting for more.
   *
   * @param checked number of bytes checked before
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
