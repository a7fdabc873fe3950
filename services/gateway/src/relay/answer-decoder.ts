import type { Transform } from 'node:stream'
import { brotliDecompressSync, constants, createBrotliDecompress, createUnzip, unzipSync } from 'node:zlib'
import { CallError } from '../upstreams/upstream-pool.ts'
import type { Source } from './stream-writer.ts'

/** Maximum bytes of a decoded answer, against decompression bombs. The largest embeddings have 75 MB. */
const maxDecodedBytes = 128 * 1024 * 1024

/** zstd is missing, because Node decodes only the first frame and ignores the others. */
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

/** Whether a `content-encoding` leaves the bytes as they are. */
export function isIdentity(encoding: string): boolean {
  return encoding.toLowerCase() === 'identity'
}

/**
 * Decodes a short body, or the part of it that arrived.
 *
 * @returns an empty buffer if decoding fails or yields more than `maxBytes`
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
 * Decodes an answer that a provider compressed, although the gateway did not ask for it. Buffers at most a few hundred
 * kilobytes: while the client reads slowly, the provider is paused.
 */
export class AnswerDecoder implements Source {
  readonly #stream: Transform
  readonly #source: Source
  #bytes = 0
  #isFull = false
  #failure: Error | null = null
  #isOver = false

  /**
   * @param encoding a known encoding: see {@link isKnownEncoding}
   * @param source of the encoded bytes
   * @param onBytes called with decoded bytes
   * @param onOver called once, after the last bytes. `failure` is an error if the answer broke off or decoding failed.
   *   `isBroken` means that decoding failed
   * @param maxBytes maximum bytes of the decoded answer
   */
  constructor(
    encoding: string,
    source: Source,
    onBytes: (bytes: Buffer) => void,
    onOver: (failure: Error | null, isBroken: boolean) => void,
    maxBytes = maxDecodedBytes
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
      if (this.#bytes > maxBytes) over(broken('is too large after decoding'), true)
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
   * Call this after the last encoded bytes. All bytes are decoded before `onOver` is called.
   *
   * @param failure why the answer broke off; null if it is complete
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

  /** Stops all callbacks. */
  destroy(): void {
    this.#isOver = true
    this.#stream.destroy()
  }
}

const nothing = Buffer.alloc(0)

function broken(how: string): CallError {
  return new CallError('malformed_answer', `the upstream's answer ${how}`)
}
