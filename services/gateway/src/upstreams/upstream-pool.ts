import type { Bytes } from '../body/members.ts'

/** Connections to one upstream, by which it is called. */
export type UpstreamPool = {
  /** How many calls are not over. */
  readonly underWay: number
  /** Begins a call. Whatever becomes of it, the handler is told. */
  dispatch(call: UpstreamCall, handler: AnswerHandler): void
  /** Resolves when the calls under way are over. There must be no others from now on. */
  close(): Promise<void>
  /** Breaks off the calls under way. */
  destroy(): Promise<void>
}

/** A `POST` of JSON. The pool knows the host, what precedes the path, and the headers that every call carries. */
export type UpstreamCall = {
  /** Of the endpoint, below the upstream's prefix: `/chat/completions`. One of a few. */
  readonly path: string
  /** Has nothing that could end a line. */
  readonly requestId: string
  /** Must not change until the call is over. */
  readonly body: Bytes
}

/** How the pool and its caller speak about one call. A new one for each. */
export type CallController = {
  /** Ends the call: `onResponseError` is told of the reason at once, and nothing after it. Has no effect if it is over. */
  abort(reason: Error): void
  /**
   * Tells the upstream that nobody waits for the answer any more. What it has sent before it knows that still comes, and
   * then the end or an error; who does not want to wait for that aborts.
   *
   * @param reason of the error, if the call has to be aborted for it
   */
  leave(reason: Error): void
  /** Holds the answer back. What has been read already still comes. The clock of its time-out stands still. */
  pause(): void
  resume(): void
}

/**
 * What is told of a call: first its start (unless it fails before), then the start of the answer, its bytes in pieces,
 * and exactly one of end and error. What one of these methods throws is given to `onResponseError`.
 */
export type AnswerHandler = {
  /** There is a connection, and the request is sent unless the call is aborted now. */
  onRequestStart(controller: CallController): void
  /** Not told of answers that only announce another (1xx). */
  onResponseStart(controller: CallController, status: number, head: AnswerHead): void
  /** @param bytes belong to the pool, which overwrites them when the call returns: who keeps any of them copies them */
  onResponseData(controller: CallController, bytes: Buffer): void
  onResponseEnd(controller: CallController): void
  /** @param controller null if the call had not started */
  onResponseError(controller: CallController | null, error: Error): void
}

/** The fields of an answer that matter here, as the upstream wrote them; several of one name are joined by commas. */
export type AnswerHead = {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly retryAfter: string | undefined
  /** `retry-after-ms`, as Azure sends it. */
  readonly retryAfterMs: string | undefined
  /** Bytes of the body, -1 if the head does not tell. */
  readonly contentLength: number
}

/** Milliseconds. */
export type CallTimeouts = {
  /** Until there is a connection, encrypted where it has to be. */
  readonly connect: number
  /** From then until the head of the answer has come. */
  readonly firstByte: number
  /** Between any two pieces of the answer. */
  readonly betweenChunks: number
}

/** Whom a pool calls, and how. */
export type UpstreamPoolOptions = {
  /** Origin, and what precedes the paths of endpoints. */
  readonly url: URL
  /** Header names and values, alternating, that every request carries besides those of its framing. Hold the credential. */
  readonly headers: readonly string[]
  readonly timeouts: CallTimeouts
  /** Certificates (PEM) that the upstream's is checked with, instead of those that Node.js knows. */
  readonly ca?: string | undefined
}
