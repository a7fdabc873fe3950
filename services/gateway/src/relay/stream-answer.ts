import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { endOfMalformed } from './charged-usage.ts'
import type { EventFlow } from './event-flow.ts'
import type { OperatorFault } from './operator-faults.ts'
import { faultInEvent } from './server-sent-events.ts'
import type { Sink, SinkAttempt } from './sink.ts'
import { StreamWriter } from './stream-writer.ts'
import { costComment } from './write-head.ts'

/**
 * Maximum wait for the first event before the head of a stream is sent, ms. Until then, another call can replace the
 * stream. After a longer wait, a proxy in front of the gateway could time out.
 */
const maxHeadWaitMs = 10_000

const contentType = 'text/event-stream; charset=utf-8'
const wrongStream = 'is a stream instead of a single body'
const reportsError = 'reports an error, or is not a stream of events'

/** Passes a stream of events to the client, from its first event on. */
export class StreamAnswer implements Sink {
  readonly kind = 'stream'
  readonly answer: EventFlow
  readonly hasBegun = true
  readonly #attempt: SinkAttempt
  /** null before the head is written, and once the client gets nothing more. */
  #writer: StreamWriter | null = null
  #headTimer: NodeJS.Timeout | undefined

  constructor(attempt: SinkAttempt) {
    const { request } = attempt
    this.#attempt = attempt
    this.answer = request.format.newEvents(request, attempt)
    if (attempt.isServed && !attempt.isWrongKind) this.#headTimer = setTimeout(() => this.#begin(), maxHeadWaitMs)
  }

  push(chunk: Buffer): void {
    const events = this.answer
    const bytes = events.push(chunk)
    // Another call can replace this one while the client has nothing of it.
    if (
      events.hasFailed &&
      this.#writer === null &&
      !this.#attempt.isWrongKind &&
      endOfMalformed(events) === 'unserved'
    ) {
      this.#attempt.rejectAnswer(reportsError, faultIn(events))
      return
    }
    if (!this.#attempt.isAccepted && events.hasBegun) {
      if (this.#attempt.isWrongKind) {
        this.#attempt.rejectAnswer(wrongStream)
        return
      }
      this.#attempt.accept()
      this.#begin()
    }
    this.#attempt.noteIssued(events)
    this.#pass(bytes)
    if (events.hasFailed) this.#attempt.rejectAnswer(reportsError, faultIn(events))
  }

  end(): void {
    const rest = this.answer.end()
    if (!this.answer.isWhole || this.#attempt.isWrongKind) {
      this.#attempt.rejectAnswer(this.#attempt.isWrongKind ? wrongStream : 'is incomplete', faultIn(this.answer))
      return
    }
    this.#attempt.accept()
    this.#begin()
    this.#attempt.noteIssued(this.answer)
    this.#pass(rest)
    this.#conclude(rest.length > 0)
  }

  /** After its last event, a stream is complete even if its connection breaks. */
  cut(): boolean {
    if (this.#attempt.isWrongKind || !this.answer.isDone || !this.answer.isWhole) return false
    this.#conclude(true)
    return true
  }

  interrupt(failure: ServiceError): void {
    // An error after the last event would make clients reject a complete answer.
    if (!this.answer.isDone || !this.answer.isWhole) this.#writer?.write(this.#errorEvent(failure))
    this.#writer?.end()
    this.#writer = null
  }

  detach(): void {
    this.#writer = null
  }

  close(): void {
    clearTimeout(this.#headTimer)
  }

  #pass(bytes: Buffer): void {
    this.#writer?.write(bytes)
    this.#attempt.request.copy?.add(bytes)
  }

  #errorEvent(failure: ServiceError): Buffer {
    // The client may have a part of an event, so this ends it.
    const end = this.answer.isWithinEvent ? '\n\n' : ''
    const { format, docsUrl, requestId } = this.#attempt.request
    return Buffer.from(end + format.errors.event(failure, { docsUrl, requestId, eventNumber: this.answer.nextNumber }))
  }

  #begin(): void {
    clearTimeout(this.#headTimer)
    const { isServed, isWrongKind, request } = this.#attempt
    if (this.#writer !== null || !isServed || isWrongKind) return
    // The gateway may add an error event, so the length is unknown.
    this.#attempt.writeHead(contentType, -1, null)
    this.#writer = new StreamWriter(request.response, this.#attempt, request.slowReaders)
  }

  /**
   * Adds the cost, if the client asked for it, and ends the stream.
   *
   * @param isWithinEvent whether the last event lacks its blank line
   */
  #conclude(isWithinEvent: boolean): void {
    const cost = this.#writer !== null && this.#attempt.request.showsCost ? this.#attempt.costOfWhole() : null
    if (cost !== null) this.#writer?.write(Buffer.from((isWithinEvent ? '\n\n' : '') + costComment(cost)))
    this.#writer?.end()
    this.#attempt.complete(contentType)
  }
}

const faultIn = ({ failedEvent }: EventFlow): OperatorFault | null =>
  failedEvent === null ? null : faultInEvent(failedEvent)
