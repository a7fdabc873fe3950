import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isReported } from './charged-usage.ts'
import type { JsonBody } from './json-body.ts'
import { faultOfError } from './server-sent-events.ts'
import type { Sink, SinkAttempt } from './sink.ts'
import { shortWrite } from './stream-writer.ts'

const contentType = 'application/json'
/** Maximum bytes that wait for the cost, which is in the head. The cost is known at the end of the answer. */
const maxWaiting = 262_144

/**
 * Passes a single JSON body to the client, once its beginning proves to be an answer. The head has the cost, so the
 * body waits for its end, unless it is long, or white space keeps the connection alive.
 */
export class WholeAnswer implements Sink {
  readonly kind = 'whole'
  readonly answer: JsonBody
  readonly #attempt: SinkAttempt
  #length: number
  #isHeadWritten = false
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** Whether the upstream is paused until the client reads. */
  #isPaused = false

  /** @param length of the decoded body in bytes, -1 if unknown */
  constructor(attempt: SinkAttempt, length: number) {
    this.#attempt = attempt
    this.#length = length
    this.answer = attempt.request.format.newBody(attempt.request, length)
  }

  get hasBegun(): boolean {
    return this.answer.hasBegun
  }

  push(chunk: Buffer): void {
    const body = this.answer
    const attempt = this.#attempt
    if (chunk.length <= shortWrite && attempt.isServed && !attempt.isWrongKind) {
      // A body in one piece is written together with the headers and the end.
      const text = chunk.toString('latin1')
      if (isReported(body.readAll(chunk, text), attempt.request.output !== null) && body.failure === null) {
        attempt.accept()
        attempt.noteIssued(body)
        const cost = attempt.costOfWhole()
        const shown = this.#withCost(chunk, cost)
        this.#writeHead(cost)
        attempt.request.copy?.add(shown)
        if (shown === chunk) attempt.request.response.end(text, 'latin1')
        else attempt.request.response.end(shown)
        attempt.complete(contentType)
        return
      }
    }
    // The kept bytes and the waiting bytes share one copy.
    const passing = body.push(Buffer.from(chunk))
    if (body.isInvalid) {
      attempt.rejectAnswer('is not the expected JSON')
      return
    }
    if (body.isAnswer && !attempt.isWrongKind) attempt.accept()
    if (body.hasAllBytes) this.#conclude(passing)
    else if (!attempt.isWrongKind) for (const bytes of passing) this.#hold(bytes)
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

  /** Holds bytes of an answer back, because its head has to wait for the cost. */
  #hold(bytes: Buffer): void {
    const mustWait = !this.#isHeadWritten && this.answer.isAnswer && this.#attempt.request.costOf !== null
    this.#waitingBytes += bytes.length
    if (mustWait && this.#waitingBytes <= maxWaiting) {
      this.#waiting.push(bytes)
      return
    }
    for (const one of this.#takeWaiting()) this.#passOn(one)
    this.#passOn(bytes)
  }

  #takeWaiting(): Buffer[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  #passOn(bytes: Buffer): void {
    this.#attempt.request.copy?.add(bytes)
    if (!this.#attempt.isServed) return
    this.#writeHead(null)
    const { response, slowReaders } = this.#attempt.request
    if (response.write(bytes) || this.#isPaused) return
    this.#isPaused = true
    this.#attempt.pause()
    slowReaders.watch(response)
    response.once('drain', () => {
      this.#isPaused = false
      this.#attempt.resume()
    })
  }

  /** Ends the answer after its last bytes. */
  #conclude(last: readonly Buffer[]): void {
    const { isWhole } = this.answer
    const attempt = this.#attempt
    if (!isWhole || attempt.isWrongKind) {
      attempt.rejectAnswer(isWhole ? 'is a single body instead of a stream' : 'is incomplete')
      return
    }
    const { failure } = this.answer
    const fault = failure === null || this.#isHeadWritten ? null : faultOfError(failure)
    if (fault !== null) {
      // Only the operator can repair it, so the client gets the gateway's error.
      attempt.rejectAnswer('reports a failure', fault)
      return
    }
    attempt.noteIssued(this.answer)
    const { copy, showsUsageCost } = attempt.request
    const cost = attempt.isServed || showsUsageCost ? attempt.costOfWhole() : null
    const rest = failure === null ? this.#wholeRest(last, cost) : this.#concealed(last)
    if (copy !== null) for (const bytes of rest) copy.add(bytes)
    if (attempt.isServed) {
      this.#writeHead(cost)
      const { response } = attempt.request
      for (const bytes of rest.slice(0, -1)) response.write(bytes)
      response.end(rest.at(-1))
    }
    attempt.complete(contentType)
  }

  /** The rest of an answer. The usage of a long one has begun to pass, and gets no cost. */
  #wholeRest(last: readonly Buffer[], cost: number | null): Buffer[] {
    const rest = [...this.#takeWaiting(), ...last]
    return this.#attempt.request.showsUsageCost ? [this.#withCost(Buffer.concat(rest), cost)] : rest
  }

  /** @param body all bytes that have not passed */
  #withCost(body: Buffer, cost: number | null): Buffer {
    if (cost === null || !this.#attempt.request.showsUsageCost) return body
    const shown = this.answer.withCost(body, cost)
    if (shown !== body) this.#length = shown.length
    return shown
  }

  /** The rest of an answer that reports that it failed. A long one has begun to pass, and is not changed. */
  #concealed(last: readonly Buffer[]): Buffer[] {
    const rest = [...this.#takeWaiting(), ...last]
    if (this.#isHeadWritten) return rest
    const body = this.answer.conceal(Buffer.concat(rest), this.#attempt.hidden())
    this.#length = body.length
    return [body]
  }

  #writeHead(cost: number | null): void {
    if (this.#isHeadWritten) return
    this.#isHeadWritten = true
    this.#attempt.writeHead(contentType, this.#length, cost)
  }
}
