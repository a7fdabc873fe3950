import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { End } from './charged-usage.ts'
import type { RetryScope } from './client-may-retry.ts'

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
   * @param further headers: names and values, alternating
   */
  writeHead(status: number, contentType: string, length: number, further: readonly string[]): void
  /** Sends the client a refusal that is about its request. @param json the body */
  passOnRefusal(status: number, code: string, json: string): void
  /** Called if the call failed. */
  failed(failure: ServiceError, scope: RetryScope, end: End): void
  /** Called at the end of the request. */
  finish(status: number, code: string | null, end: End): void
}
