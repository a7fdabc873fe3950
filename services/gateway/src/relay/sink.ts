import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ReceivedAnswer } from './charged-usage.ts'
import type { RefusalReason } from './read-refusal.ts'
import type { RelayRequest } from './relay-request.ts'
import type { Source } from './stream-writer.ts'
import type { Failed } from './upstream-failure.ts'

/** Takes the body of an upstream's response: a whole answer, a stream, or a refusal. */
export interface Sink {
  readonly kind: 'whole' | 'stream' | 'refusal'
  /** The answer, as far as it came; null for a refusal. */
  readonly answer: ReceivedAnswer
  /** Whether the provider may have made an answer, or a part of it. */
  readonly hasBegun: boolean
  /** @param chunk decoded bytes; may be overwritten afterwards */
  push(chunk: Buffer): void
  /** The upstream ended the body. */
  end(): void
  /**
   * The body broke off.
   *
   * @returns whether the sink could conclude from what came; if not, the attempt failed
   */
  cut(): boolean
  /** Tells a failure to a client that has a part of the answer. */
  interrupt(failure: ServiceError): void
  /** Stops writing: the client has left. */
  detach(): void
  /** Stops the sink's timers. */
  close(): void
}

/** What a sink needs of its attempt. Pausing it holds the upstream back. */
export interface SinkAttempt extends Source {
  readonly request: RelayRequest
  /** The status of the upstream's response. */
  readonly status: number
  /** Whether the client can still be sent something. */
  readonly isServed: boolean
  /** Whether the client asked for a single body and gets a stream, or the other way round. */
  readonly isWrongKind: boolean
  /** Whether {@link accept} was called. */
  readonly isAccepted: boolean
  /** The body is an answer, as far as its beginning tells. */
  accept(): void
  /** Writes the head of the client's response. @param length of the body in bytes, -1 if unknown */
  writeHead(contentType: string, length: number): void
  /** The answer is complete, and the client has all of it. */
  complete(): void
  /** The body is not the answer that the request asked for. @param how continues "the upstream's answer …" */
  rejectAnswer(how: string): void
  /** @param failed null for a refusal that is about the client's request. @param goesOn whether more of the body may come */
  refused(reason: RefusalReason, failed: Failed | null, goesOn: boolean): void
}
