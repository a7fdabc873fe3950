import type { AnswerHead } from '../upstreams/upstream-pool.ts'
import { decodeShort } from './answer-decoder.ts'
import { readRefusal } from './read-refusal.ts'
import type { Sink, SinkAttempt } from './sink.ts'
import { isAboutTheRequest, judgeStatus, readWaitMs } from './upstream-failure.ts'

/** How many bytes of a refusal are read for its message. */
export const maxRefusalBytes = 64 * 1024
/** How long the relay waits for the body of a refusal, ms, if the status alone tells what to do. */
const reasonMs = 1000

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
    // A refusal that is about the request cannot be passed on without its body.
    if (!isAboutTheRequest(attempt.status)) this.#timer = setTimeout(() => this.#judge(true), reasonMs)
  }

  /** @param chunk encoded bytes; may be overwritten afterwards */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= maxRefusalBytes) this.#chunks.push(Buffer.from(chunk))
    else this.#judge(true)
  }

  end(): void {
    this.#judge(false)
  }

  /** Judges by the status and what came of the body. */
  cut(): boolean {
    this.#judge(true)
    return true
  }

  interrupt(): void {}

  detach(): void {}

  close(): void {
    clearTimeout(this.#timer)
  }

  #judge(goesOn: boolean): void {
    clearTimeout(this.#timer)
    const reason = readRefusal(decodeShort(Buffer.concat(this.#chunks), this.#encoding, maxRefusalBytes))
    this.#attempt.refused(reason, judgeStatus(this.#attempt.status, reason, this.#waitMs), goesOn)
  }
}
