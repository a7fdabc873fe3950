import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isReported } from './charged-usage.ts'
import { JsonBody } from './json-body.ts'
import type { Sink, SinkAttempt } from './sink.ts'
import { shortWrite } from './stream-writer.ts'

/** Passes a single JSON body to the client, once its beginning shows that it is an answer. */
export class WholeAnswer implements Sink {
  readonly kind = 'whole'
  readonly answer: JsonBody
  readonly #attempt: SinkAttempt
  readonly #length: number
  #isHeadWritten = false
  /** Whether the upstream is paused until the client reads. */
  #isHeldBack = false

  /** @param length of the decoded body in bytes, -1 if unknown */
  constructor(attempt: SinkAttempt, length: number) {
    this.#attempt = attempt
    this.#length = length
    this.answer = new JsonBody(attempt.request.listMember, length)
  }

  get hasBegun(): boolean {
    return this.answer.hasBegun
  }

  push(chunk: Buffer): void {
    const body = this.answer
    const attempt = this.#attempt
    if (chunk.length <= shortWrite && attempt.isServed && !attempt.isWrongKind) {
      // The only bytes, known as such, leave together with the headers and the end.
      const text = chunk.toString('latin1')
      if (isReported(body.readAll(chunk, text), attempt.request.output !== null)) {
        attempt.accept()
        this.#writeHead()
        attempt.request.response.end(text, 'latin1')
        attempt.complete()
        return
      }
    }
    // One copy for both: what is kept of the answer, and what waits to be written.
    const passing = body.push(Buffer.from(chunk))
    if (body.isInvalid) {
      attempt.rejectAnswer('is not the JSON that was asked for')
      return
    }
    if (body.isAnswer && !attempt.isWrongKind) attempt.accept()
    if (body.isAllHere) this.#conclude(passing)
    else if (!attempt.isWrongKind) for (const bytes of passing) this.#passOn(bytes)
  }

  end(): void {
    this.#conclude(this.answer.rest())
  }

  cut(): boolean {
    return false
  }

  interrupt(_failure: ServiceError): void {
    this.#attempt.request.response.destroy()
  }

  detach(): void {}

  close(): void {}

  #passOn(bytes: Buffer): void {
    if (!this.#attempt.isServed) return
    this.#writeHead()
    const { response, slowReaders } = this.#attempt.request
    if (response.write(bytes) || this.#isHeldBack) return
    this.#isHeldBack = true
    this.#attempt.pause()
    slowReaders.watch(response)
    response.once('drain', () => {
      this.#isHeldBack = false
      this.#attempt.resume()
    })
  }

  /** Ends the answer: all bytes have come. */
  #conclude(last: readonly Buffer[]): void {
    const { isWhole } = this.answer
    const attempt = this.#attempt
    if (!isWhole || attempt.isWrongKind) {
      attempt.rejectAnswer(isWhole ? 'is a single body, and a stream was asked for' : 'is not whole')
      return
    }
    if (attempt.isServed) {
      this.#writeHead()
      const { response } = attempt.request
      for (const bytes of last.slice(0, -1)) response.write(bytes)
      response.end(last.at(-1))
    }
    attempt.complete()
  }

  #writeHead(): void {
    if (this.#isHeadWritten) return
    this.#isHeadWritten = true
    this.#attempt.writeHead('application/json', this.#length)
  }
}
