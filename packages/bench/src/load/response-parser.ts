/** The counts of a finished answer. */
export interface Answer {
  status: number
  /** The number of server-sent events (blank lines) in the body; 0 for other content types. */
  events: number
  bodyBytes: number
}

const HEAD = 0
const BODY = 1
const CHUNK_SIZE = 2
const CHUNK = 3
const CHUNK_END = 4
const TRAILER = 5

const NEWLINE = 10

/**
 * Parses the HTTP/1.1 answers of one connection. It counts bytes and events, and keeps no bodies.
 *
 * The load generator must not be the bottleneck. This parser costs a fraction of Node's own client, because it creates
 * no header objects, streams or events. It knows `Content-Length` and chunked bodies, as the measured servers send
 * them. Anything else is an error.
 */
export class ResponseParser {
  /** Events so far in the current answer. */
  events = 0
  #state = HEAD
  #head = ''
  #status = 0
  #isStream = false
  #isChunked = false
  #remaining = 0
  #bodyBytes = 0
  #line = ''
  #endsWithNewline = false

  /** True between answers: closing the connection then cuts no answer off. */
  get isIdle(): boolean {
    return this.#state === HEAD && this.#head === ''
  }

  /**
   * Reads the bytes `0..length` of `buffer`. The caller may reuse the buffer afterwards.
   *
   * @returns the answer if it ended with these bytes, else null. Requests are not pipelined, so at most one answer
   *   ends.
   * @throws on an answer without a length, on invalid chunks, and on bytes after the end of the answer
   */
  push(buffer: Buffer, length: number): Answer | null {
    let at = 0
    while (at < length) {
      switch (this.#state) {
        case HEAD:
          at = this.#readHead(buffer, at, length)
          break
        case BODY:
        case CHUNK:
          at = this.#readPayload(buffer, at, length)
          break
        default:
          at = this.#readLine(buffer, at, length)
      }
      if (this.#state === BODY && this.#remaining === 0) this.#state = HEAD
      if (this.#state === HEAD && this.#head === '' && this.#status !== 0) {
        if (at !== length) throw new Error('bytes after the end of an answer')
        return this.#finish()
      }
    }
    return null
  }

  #finish(): Answer {
    const answer = { status: this.#status, events: this.events, bodyBytes: this.#bodyBytes }
    this.#status = 0
    this.events = 0
    this.#bodyBytes = 0
    return answer
  }

  #readHead(buffer: Buffer, at: number, length: number): number {
    const text = this.#head + buffer.toString('latin1', at, length)
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) {
      this.#head = text
      return length
    }
    const consumed = end + 4 - this.#head.length
    this.#head = ''
    this.#parseHead(text.slice(0, end + 2).toLowerCase())
    return at + consumed
  }

  #parseHead(head: string): void {
    if (!head.startsWith('http/1.1 ')) throw new Error('the answer is not in HTTP/1.1')
    this.#status = Number(head.slice(9, 12))
    this.#isStream = head.includes('\r\ncontent-type: text/event-stream')
    this.#isChunked = head.includes('\r\ntransfer-encoding: chunked\r\n')
    this.#endsWithNewline = false
    if (this.#isChunked) {
      this.#state = CHUNK_SIZE
      return
    }
    const name = '\r\ncontent-length: '
    const start = head.indexOf(name)
    if (start === -1) throw new Error(`an answer with status ${this.#status} has no length`)
    const valueAt = start + name.length
    this.#remaining = Number(head.slice(valueAt, head.indexOf('\r\n', valueAt)))
    this.#state = BODY
  }

  #readPayload(buffer: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#remaining)
    if (this.#isStream) this.#countEvents(buffer, at, end)
    this.#bodyBytes += end - at
    this.#remaining -= end - at
    if (this.#remaining === 0 && this.#isChunked) this.#state = CHUNK_END
    return end
  }

  /** Counts `\n\n`, including those split over two payloads. */
  #countEvents(buffer: Buffer, at: number, end: number): void {
    let newline = this.#endsWithNewline && buffer[at] === NEWLINE ? at : buffer.indexOf('\n\n', at, 'latin1')
    if (newline === at && this.#endsWithNewline) {
      this.events++
      newline = buffer.indexOf('\n\n', at + 1, 'latin1')
    }
    while (newline !== -1 && newline + 1 < end) {
      this.events++
      newline = buffer.indexOf('\n\n', newline + 2, 'latin1')
    }
    this.#endsWithNewline = buffer[end - 1] === NEWLINE && !(end - at >= 2 && buffer[end - 2] === NEWLINE)
  }

  #readLine(buffer: Buffer, at: number, length: number): number {
    const newline = buffer.indexOf(NEWLINE, at)
    if (newline === -1 || newline >= length) {
      this.#line += buffer.toString('latin1', at, length)
      return length
    }
    const line = this.#line + buffer.toString('latin1', at, newline + 1)
    this.#line = ''
    if (this.#state === CHUNK_SIZE) {
      if (!/^[0-9a-f]+\r\n$/i.test(line)) throw new Error('a chunk without a size')
      this.#remaining = Number.parseInt(line, 16)
      this.#state = this.#remaining === 0 ? TRAILER : CHUNK
    } else if (this.#state === CHUNK_END) {
      if (line !== '\r\n') throw new Error('the size of a chunk is wrong')
      this.#state = CHUNK_SIZE
    } else if (line === '\r\n') {
      this.#state = HEAD
    }
    return newline + 1
  }
}
