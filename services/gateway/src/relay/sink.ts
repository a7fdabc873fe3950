import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ReportedUsage } from '../usage/usage.ts'
import type { AnsweredCall } from './answer-format.ts'
import type { End, ReceivedAnswer } from './charged-usage.ts'
import type { RetryScope } from './client-may-retry.ts'
import type { IssuedIds } from './issued-ids.ts'
import type { OperatorFault } from './operator-faults.ts'
import type { RefusalReason } from './read-refusal.ts'
import type { RelayRequest } from './relay-request.ts'
import type { Source } from './stream-writer.ts'
import type { CallFailure } from './upstream-failure.ts'

/** Takes the body of an upstream's response: a whole answer, a stream, or a refusal. */
export interface Sink {
  readonly kind: 'whole' | 'stream' | 'refusal'
  /** The received part of the answer; null for a refusal. */
  readonly answer: ReceivedAnswer
  /** Whether the provider may have made a part of an answer. */
  readonly hasBegun: boolean
  /** @param chunk decoded bytes; may be overwritten afterwards */
  push(chunk: Buffer): void
  /** Call this at the end of the body. */
  end(): void
  /**
   * Call this if the body broke off.
   *
   * @returns whether the received part was enough; if not, the attempt failed
   */
  cut(): boolean
  /** Sends a failure to a client that has a part of the answer. */
  interrupt(failure: ServiceError): void
  /** Stops writing: the client has left. */
  detach(): void
  /** Stops the sink's timers. */
  close(): void
}

/** An answer, as far as it tells its ids. */
export interface IssuingAnswer {
  readonly issued: IssuedIds | null
  readonly usage: ReportedUsage | null
}

/** The part of an attempt that its sink uses. `pause` pauses the upstream. */
export interface SinkAttempt extends Source, AnsweredCall {
  readonly request: RelayRequest
  /** The status of the upstream's response. */
  readonly status: number
  /** Whether the client still gets the answer. */
  readonly isServed: boolean
  /** Whether the upstream sends a stream instead of a single body, or the reverse. */
  readonly isWrongKind: boolean
  /** Whether {@link accept} was called. */
  readonly isAccepted: boolean
  /** Call this once the beginning of the body proves to be an answer. */
  accept(): void
  /** Call this before the client gets an answer that may have ids. */
  noteIssued(answer: IssuingAnswer): void
  /**
   * Writes the head of the client's response.
   *
   * @param length of the body in bytes, -1 if unknown
   * @param cost nanodollars, if known
   */
  writeHead(contentType: string, length: number, cost: number | null): void
  /**
   * The cost of the whole answer, nanodollars; a promise if its usage must be estimated; null if the client is not
   * told.
   */
  costOfWhole(): number | null
  /** Call this once the answer is complete and written. @param contentType as in {@link writeHead} */
  complete(contentType: string): void
  /**
   * Fails the attempt because of a wrong answer.
   *
   * @param how continues "the upstream's answer …"
   * @param fault what the answer reports that only the operator can repair
   */
  rejectAnswer(how: string, fault?: OperatorFault | null): void
  /**
   * @param failed null for a refusal that is about the client's request.
   * @param goesOn whether more of the body may arrive
   */
  refused(reason: RefusalReason, failed: CallFailure | null, goesOn: boolean): void
}

/** Gets the events of an attempt, and decides what follows. */
export interface AttemptOwner {
  /** Whether the client still gets the answer. */
  readonly isServed: boolean
  /** How far the answer is read for its usage after the client gets no more of it; null before that. */
  readonly stillReads: 'to the end' | 'briefly' | null
  /**
   * Writes the head of the client's response.
   *
   * @param length of the body in bytes, -1 if unknown
   * @param cost nanodollars, for the client; null for none
   */
  writeHead(status: number, contentType: string, length: number, cost: number | null): void
  /** Sends the client a refusal that is about its request. @param json the body */
  passOnRefusal(status: number, code: string, json: string): void
  /** Called if the call failed. */
  failed(failure: ServiceError, scope: RetryScope, end: End): void
  /** Called at the end of the request. */
  finish(status: number, code: string | null, end: End): void
}
