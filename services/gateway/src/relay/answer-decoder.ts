import type { Transform } from 'node:stream'
import { brotliDecompressSync, constants, createBrotliDecompress, createUnzip, unzipSync } from 'node:zlib'
import { CallError } from '../upstreams/call-error.ts'
import type { Source } from './stream-writer.ts'

/** Bytes of an answer after decoding. The largest embeddings have 75 MB; more is a bomb. */
const maxDecodedBytes = 128 * 1024 * 1024

/** Not zstd: Node decodes only the first of its frames, and does not tell that there are more. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress
}

/** Whether the gateway can decode an answer with this `content-encoding`. */
export function isKnownEncoding(encoding: string): boolean {
  return isIdentity(encoding) || Object.hasOwn(decoders, encoding.toLowerCase())
}

/** Whether a `content-encoding` changes nothing. */
export function isIdentity(encoding: string): boolean {
  return encoding.toLowerCase() === 'identity'
}

/**
 * Decodes a short body, or as much of it as has come.
 *
 * @returns nothing if it cannot be decoded, or has more than `maxBytes` then
 */
export function decodeShort(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  if (isIdentity(encoding)) return bytes
  if (!isKnownEncoding(encoding)) return nothing
  try {
    return encoding.toLowerCase() === 'br'
      ? brotliDecompressSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.BROTLI_OPERATION_FLUSH })
      : unzipSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return nothing
  }
}

/**
 * Decodes an answer that a provider compressed although nobody asked for it. Holds no more than a few hundred kilobytes:
 * while the client reads slowly, the provider waits.
 */
export class AnswerDecoder implements Source {
  readonly #stream: Transform
  readonly #source: Source
  #bytes = 0
  #isFull = false
  #failure: Error | null = null
  #isOver = false

  /**
   * @param encoding a known one
   * @param source brings the encoded bytes
   * @param onBytes given decoded bytes
   * @param onOver called once, after the last bytes; with an error if the answer broke off, or cannot be decoded
   */
  constructor(
    encoding: string,
    source: Source,
    onBytes: (bytes: Buffer) => void,
    onOver: (failure: Error | null, isBroken: boolean) => void
  ) {
    this.#source = source
    this.#stream = decoders[encoding.toLowerCase()]!()
    const over = (failure: Error | null, isBroken = false) => {
      if (this.#isOver) return
      this.#isOver = true
      this.#stream.destroy()
      onOver(failure, isBroken)
    }
    this.#stream.on('data', (bytes: Buffer) => {
      if (this.#isOver) return
      this.#bytes += bytes.length
      if (this.#bytes > maxDecodedBytes) over(broken('is too large after decoding'), true)
      else onBytes(bytes)
    })
    this.#stream.on('end', () => over(this.#failure))
    this.#stream.on('error', () => over(this.#failure ?? broken('cannot be decoded'), this.#failure === null))
  }

  /** @param chunk may be overwritten afterwards */
  write(chunk: Buffer): void {
    if (this.#isOver || this.#stream.write(Buffer.from(chunk)) || this.#isFull) return
    this.#isFull = true
    this.#source.pause()
    this.#stream.once('drain', () => {
      this.#isFull = false
      this.#source.resume()
    })
  }

  /**
   * No more encoded bytes come. What has come is decoded first.
   *
   * @param failure why, if the answer broke off
   */
  end(failure: Error | null): void {
    this.#failure = failure
    this.#stream.end()
  }

  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  /** Nothing is told from now on. */
  destroy(): void {
    this.#isOver = true
    this.#stream.destroy()
  }
}

const nothing = Buffer.alloc(0)

function broken(how: string): CallError {
  return new CallError('malformed_answer', `the upstream's answer ${how}`)
}
