import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { SlowReaders } from './slow-readers.ts'

/**
 * Up to this many bytes are written as text with one character per byte, in one plain write. Bytes between two texts
 * would need a gathered write, which costs more than the copy.
 */
export const shortWrite = 8192

/** Text that waits for the end of the turn is written once it has more bytes than this. */
const maxGathered = 16_384

/** A source of bytes that can be paused. */
export interface Source {
  pause(): void
  resume(): void
}

/**
 * Writes a stream to the client. The headers are sent at once. The bytes of one turn of the event loop are sent in one
 * write at its end, framed as chunks (RFC 9112, 7.1). Node's own framing makes three writes for each chunk. The source
 * is paused while the client reads too slowly.
 *
 * Call `writeHead` of the response first. Nothing else may write to the response afterwards.
 */
export class StreamWriter {
  readonly #response: ServerResponse
  readonly #source: Source
  readonly #slowReaders: Pick<SlowReaders, 'watch'>
  /** The connection; the response while an earlier request of the connection is answered. */
  readonly #out: Writable
  readonly #isChunked: boolean
  #gathered = ''
  #isHeadSent = false
  #isFlushDue = true
  #isPaused = false

  constructor(response: ServerResponse, source: Source, slowReaders: Pick<SlowReaders, 'watch'>) {
    this.#response = response
    this.#source = source
    this.#slowReaders = slowReaders
    this.#out = response.socket ?? response
    // HTTP/1.0 has no chunks: the end of the connection ends the body.
    this.#isChunked = response.chunkedEncoding
    response.chunkedEncoding = false
    // The first token may take long. The head shows the client that its stream was accepted.
    process.nextTick(flushHead, this)
  }

  /** @param bytes may be overwritten afterwards */
  write(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (bytes.length > shortWrite) {
      this.#writeLong(bytes)
      return
    }
    const text = bytes.toString('latin1')
    this.#gathered += this.#isChunked ? `${bytes.length.toString(16)}\r\n${text}\r\n` : text
    if (this.#gathered.length > maxGathered) this.#flush()
    else if (!this.#isFlushDue) {
      this.#isFlushDue = true
      process.nextTick(flush, this)
    }
  }

  end(): void {
    this.#sendHead()
    const text = this.#isChunked ? `${this.#gathered}0\r\n\r\n` : this.#gathered
    this.#gathered = ''
    this.#response.end(text, 'latin1')
  }

  static flush(answer: StreamWriter): void {
    answer.#isFlushDue = false
    answer.#flush()
  }

  static flushHead(answer: StreamWriter): void {
    answer.#isFlushDue = false
    if (answer.#response.destroyed) return
    answer.#out.cork()
    answer.#sendHead()
    answer.#flush()
    answer.#out.uncork()
  }

  #sendHead(): void {
    if (this.#isHeadSent) return
    this.#isHeadSent = true
    this.#response.flushHeaders()
  }

  #flush(): void {
    const text = this.#gathered
    this.#gathered = ''
    // A client that closed its side gets no more bytes. Its connection closes once the written ones are sent.
    if (text === '' || !this.#out.writable) return
    this.#sendHead()
    this.#pauseIfFull(this.#out.write(text, 'latin1'))
  }

  #writeLong(bytes: Buffer): void {
    this.#flush()
    const out = this.#out
    if (!out.writable) return
    out.cork()
    this.#sendHead()
    if (this.#isChunked) out.write(`${bytes.length.toString(16)}\r\n`, 'latin1')
    let isWritten = out.write(Buffer.from(bytes))
    if (this.#isChunked) isWritten = out.write('\r\n', 'latin1')
    out.uncork()
    this.#pauseIfFull(isWritten)
  }

  #pauseIfFull(isWritten: boolean): void {
    if (isWritten || this.#isPaused) return
    this.#isPaused = true
    this.#source.pause()
    this.#slowReaders.watch(this.#response)
    this.#out.once('drain', () => {
      this.#isPaused = false
      this.#source.resume()
    })
  }
}

const { flush, flushHead } = StreamWriter
