import type { AnswerHead } from '../upstreams/upstream-pool.ts'
import { decodeShort } from './answer-decoder.ts'
import { readRefusal } from './read-refusal.ts'
import type { Sink, SinkAttempt } from './sink.ts'
import { classifyStatus, isAboutTheRequest, readWaitMs } from './upstream-failure.ts'

/** Maximum bytes of a refusal that are read for its message. */
export const maxRefusalBytes = 64 * 1024
/** Maximum wait for the body of a refusal, ms, if the status alone decides what follows. */
const maxReasonMs = 1000

/** Reads why an upstream refused a request. */
export class Refusal implements Sink {
  readonly kind = 'refusal'
  readonly answer = null
  readonly hasBegun = false
  readonly #attempt: SinkAttempt
  readonly #encoding: string
  /** How long the upstream asks to wait. */
  readonly #waitMs: number | null
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(attempt: SinkAttempt, head: AnswerHead) {
    this.#attempt = attempt
    this.#encoding = head.contentEncoding ?? 'identity'
    this.#waitMs = readWaitMs(head)
    // The client needs the body of a refusal that is about its request.
    if (!isAboutTheRequest(attempt.status)) this.#timer = setTimeout(() => this.#conclude(true), maxReasonMs)
  }

  /** @param chunk encoded bytes; may be overwritten afterwards */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= maxRefusalBytes) this.#chunks.push(Buffer.from(chunk))
    else this.#conclude(true)
  }

  end(): void {
    this.#conclude(false)
  }

  /** Uses the status and the received part of the body. */
  cut(): boolean {
    this.#conclude(true)
    return true
  }

  interrupt(): void {}

  detach(): void {}

  close(): void {
    clearTimeout(this.#timer)
  }

  #conclude(goesOn: boolean): void {
    clearTimeout(this.#timer)
    const reason = readRefusal(decodeShort(Buffer.concat(this.#chunks), this.#encoding, maxRefusalBytes))
    this.#attempt.refused(reason, classifyStatus(this.#attempt.status, reason, this.#waitMs), goesOn)
  }
}
