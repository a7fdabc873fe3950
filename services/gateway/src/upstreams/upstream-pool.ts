import type { TraceHeaders } from '@tollgate/service/tracing/tracing.ts'
import type { Bytes } from '../body/members.ts'

/** Why an upstream call failed. */
export type CallErrorCode =
  | 'not_connected'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'between_chunks_timeout'
  | 'connection_broke'
  | 'malformed_answer'
  | 'pool_closed'

/** The error of an upstream call without a complete answer. It contains nothing of the request. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: CallErrorCode

  /** @param cause the socket's error, if any */
  constructor(code: CallErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The connections to one upstream. */
export interface UpstreamPool {
  /** Number of calls in flight. */
  readonly underWay: number
  /** Begins a call. The handler always gets its end or an error. */
  dispatch(call: UpstreamCall, handler: AnswerHandler): void
  /** Resolves when the calls in flight have ended. New calls fail. */
  close(): Promise<void>
  /** Ends the calls in flight at once. */
  destroy(): Promise<void>
}

/** A request, by default a `POST` of JSON. The pool adds the host, the path prefix and the common headers. */
export interface UpstreamCall {
  /** Path of the endpoint below the upstream's prefix, such as `/chat/completions`. */
  readonly path: string
  /** Absent for the usual `POST`, whose path is one of a few. */
  readonly other?: OtherRequest
  /** Must not contain line breaks. */
  readonly requestId: string
  /** Continue the trace of the request; null if it has none. Must not contain line breaks. */
  readonly trace: TraceHeaders | null
  /** Further headers of this call: names and values, alternating. Must not contain line breaks. */
  readonly fields: readonly string[]
  /** Must not change until the call has ended. */
  readonly body: Bytes
}

/** What differs in a call of one stored object. */
export interface OtherRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Encoded, without a question mark; empty for none. */
  readonly query: string
}

/**
 * Joins the query of a call with that of the upstream.
 *
 * @param query of the upstream, with its question mark, or empty
 */
export function queryOf({ other }: Pick<UpstreamCall, 'other'>, query: string): string {
  if (other === undefined || other.query === '') return query
  return query === '' ? `?${other.query}` : `${query}&${other.query}`
}

/** Controls one call. */
export interface CallController {
  /**
   * Ends the call: `onResponseError` gets the reason at once, and nothing follows. Has no effect on a call that has
   * ended.
   */
  abort(reason: Error): void
  /**
   * Tells the upstream that its answer is no longer needed. The handler still gets the bytes that are on their way, and
   * then the end or an error. After `abort`, it would get no bytes.
   *
   * @param reason the error, if the pool must abort the call
   */
  leave(reason: Error): void
  /** Pauses the answer and its timeout. Bytes that have already been read still arrive. */
  pause(): void
  resume(): void
}

/**
 * Handles the events of a call, in this order: start (unless the call fails before), head of the answer, body in
 * pieces, and end or error. If a method throws, `onResponseError` gets the error.
 */
export interface AnswerHandler {
  /** The connection is ready. The request is sent next, unless the handler aborts the call. */
  onRequestStart(controller: CallController): void
  /** Not called for interim answers (1xx). */
  onResponseStart(controller: CallController, status: number, head: AnswerHead): void
  /** @param bytes valid only during this call: the pool overwrites them. Copy what you keep. */
  onResponseData(controller: CallController, bytes: Buffer): void
  onResponseEnd(controller: CallController): void
  /** @param controller null if the call had not started */
  onResponseError(controller: CallController | null, error: Error): void
}

/** The header fields of an answer that the gateway uses, unchanged. Fields of the same name are joined by commas. */
export interface AnswerHead {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly retryAfter: string | undefined
  /** `retry-after-ms`, as Azure sends it. */
  readonly retryAfterMs: string | undefined
  /** Bytes of the body; -1 if the head has no length. */
  readonly contentLength: number
}

/** Timeouts of a call, milliseconds. */
export interface CallTimeouts {
  /** Until the connection is ready, including TLS. */
  readonly connect: number
  /** From then until the head of the answer arrives. */
  readonly firstByte: number
  /** Between any two pieces of the answer. */
  readonly betweenChunks: number
}

/** Which upstream a pool calls, and how. */
export interface UpstreamPoolOptions {
  /** Origin, path prefix and query of all calls. */
  readonly url: URL
  /** Common headers of all requests. They contain the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeouts: CallTimeouts
  /** Trusted certificates (PEM), instead of those of Node.js. */
  readonly ca?: string | undefined
  /** Minimum idle time of an HTTP/1.1 connection between two requests, milliseconds. */
  readonly restMs?: number | undefined
  /** How long an idle HTTP/1.1 connection is kept if the upstream names no time, milliseconds. Default: 4000. */
  readonly idleMs?: number | undefined
}
