import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ReceivedText } from '../tokens/received-text.ts'
import { EventStream } from './event-stream.ts'
import { asksForUsage } from './forwarded-body.ts'
import type { Sink, SinkAttempt } from './sink.ts'
import { StreamWriter } from './stream-writer.ts'

/**
 * How long the head of a stream waits for its first event, ms. Until then another call can replace the stream. After a longer
 * wait, a proxy in front of the gateway could give up.
 */
const headHeldMs = 10_000

const wrongStream = 'is a stream, and a single body was asked for'

/** Passes a stream of events to the client, once its first event has come. */
export class StreamAnswer implements Sink {
  readonly kind = 'stream'
  readonly answer: EventStream
  readonly hasBegun = true
  readonly #attempt: SinkAttempt
  /** null before the head is written, and once the client gets nothing more. */
  #writer: StreamWriter | null = null
  #headTimer: NodeJS.Timeout | undefined

  constructor(attempt: SinkAttempt) {
    const { request } = attempt
    this.#attempt = attempt
    this.answer = new EventStream(asksForUsage(request), new ReceivedText(request.wordsMember), request.answers)
    if (attempt.isServed && !attempt.isWrongKind) this.#headTimer = setTimeout(() => this.#begin(), headHeldMs)
  }

  push(chunk: Buffer): void {
    const events = this.answer
    const bytes = events.push(chunk)
    if (!this.#attempt.isAccepted && events.hasBegun) {
      if (this.#attempt.isWrongKind) {
        this.#attempt.rejectAnswer(wrongStream)
        return
      }
      this.#attempt.accept()
      this.#begin()
    }
    this.#writer?.write(bytes)
    if (events.hasFailed) this.#attempt.rejectAnswer('tells of an error, or is no stream of events')
  }

  end(): void {
    const rest = this.answer.end()
    if (!this.answer.isWhole || this.#attempt.isWrongKind) {
      this.#attempt.rejectAnswer(this.#attempt.isWrongKind ? wrongStream : 'ended before its end')
      return
    }
    this.#attempt.accept()
    this.#begin()
    this.#writer?.write(rest)
    this.#complete()
  }

  /** A stream that said that it is done is complete, although its connection broke. */
  cut(): boolean {
    if (this.#attempt.isWrongKind || !this.answer.isDone || !this.answer.isWhole) return false
    this.#complete()
    return true
  }

  interrupt(failure: ServiceError): void {
    // The client may have a part of an event: end it.
    const end = this.answer.isWithinEvent ? '\n\n' : ''
    this.#writer?.write(Buffer.from(`${end}data: ${JSON.stringify(failure.toBody(this.#attempt.request.docsUrl))}\n\n`))
    this.#writer?.end()
    this.#writer = null
  }

  detach(): void {
    this.#writer = null
  }

  close(): void {
    clearTimeout(this.#headTimer)
  }

  #begin(): void {
    clearTimeout(this.#headTimer)
    const { isServed, isWrongKind, request } = this.#attempt
    if (this.#writer !== null || !isServed || isWrongKind) return
    // The stream may end with an event of ours, so its length is unknown.
    this.#attempt.writeHead('text/event-stream; charset=utf-8', -1)
    this.#writer = new StreamWriter(request.response, this.#attempt, request.slowReaders)
  }

  #complete(): void {
    this.#writer?.end()
    this.#attempt.complete()
  }
}
