import { Readable } from 'node:stream'
import { AnswerDecoder, isIdentity } from '../relay/answer-decoder.ts'
import { failureOfError } from '../relay/upstream-failure.ts'
import { type CallController, CallError } from '../upstreams/upstream-pool.ts'

/** Bytes of an answer that may wait for its client, before those that the operating system takes. */
export const waitingBytes = 64 * 1024

/**
 * The decoded body of an answer. While its client reads slowly, the provider is paused. It fails with a `ServiceError`.
 */
export class AnswerBody extends Readable {
  readonly #call: CallController
  readonly #decoder: AnswerDecoder | null
  readonly #onFull: () => void

  /**
   * @param encoding a known encoding: see `isKnownEncoding`
   * @param onFull called when the client is behind
   */
  constructor(call: CallController, encoding: string, onFull: () => void) {
    super({ highWaterMark: waitingBytes })
    this.#call = call
    this.#onFull = onFull
    this.#decoder = isIdentity(encoding)
      ? null
      : new AnswerDecoder(
          encoding,
          call,
          (bytes) => this.#pass(bytes),
          (failure) => this.#finish(failure)
        )
  }

  /** @param bytes may be overwritten afterwards */
  arrived(bytes: Buffer): void {
    if (this.#decoder === null) this.#pass(Buffer.from(bytes))
    else this.#decoder.write(bytes)
  }

  /** @param failure null if all bytes have arrived */
  finish(failure: Error | null): void {
    if (this.#decoder === null) this.#finish(failure)
    else this.#decoder.end(failure)
  }

  override _read(): void {
    const source = this.#decoder ?? this.#call
    source.resume()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#decoder?.destroy()
    this.#call.abort(new CallError('connection_broke', 'the client left'))
    callback(error)
  }

  #pass(bytes: Buffer): void {
    if (this.destroyed || this.push(bytes)) return
    const source = this.#decoder ?? this.#call
    source.pause()
    this.#onFull()
  }

  #finish(failure: Error | null): void {
    if (failure === null) this.push(null)
    else this.destroy(failureOfError(failure))
  }
}
