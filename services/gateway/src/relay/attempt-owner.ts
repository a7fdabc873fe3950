import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { End } from './charged-usage.ts'
import type { RetryScope } from './may-retry.ts'

/** What an attempt tells its relay, which decides what follows. */
export interface AttemptOwner {
  /** Whether the client can still be sent something. */
  readonly isServed: boolean
  /** How long the answer is still read, for its usage, although the client gets no more of it; null while the client is served. */
  readonly stillReads: 'to the end' | 'briefly' | null
  /** Writes the head of the client's response. @param length of the body in bytes, -1 if unknown */
  writeHead(status: number, contentType: string, length: number): void
  /** Answers with a refusal that is about the client's request. @param json the body */
  passOnRefusal(status: number, code: string, json: string): void
  /** The call failed. */
  failed(failure: ServiceError, scope: RetryScope, end: End): void
  /** The request is over. */
  finish(status: number, code: string | null, end: End): void
}
