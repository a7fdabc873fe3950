import { subscribe } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import type { ClientHttp2Stream } from 'node:http2'
import type { TraceHeaders } from '@tollgate/service/tracing/tracing.ts'
import { type Dispatcher, errors, Pool } from 'undici'
import { upstreamNames } from './cached-lookup.ts'
import {
  type AnswerHandler,
  type CallController,
  CallError,
  queryOf,
  type UpstreamCall,
  type UpstreamPool,
  type UpstreamPoolOptions
} from './upstream-pool.ts'

/**
 * undici hides the HTTP/2 streams of its calls, and Node.js ends a stream reset with NO_ERROR or CANCEL like a complete
 * one. So this file reads streams and their resets from Node.js' diagnostics channels.
 */
let onOpened: ((stream: ClientHttp2Stream) => void) | null = null
const resetEarly = new WeakSet<ClientHttp2Stream>()

/** Calls `listener` with the next HTTP/2 stream of this process. A later call replaces the listener. */
function onNextStream(listener: (stream: ClientHttp2Stream) => void): void {
  onOpened = listener
}

/** Whether a stream closed before the other side ended it. */
function wasReset(stream: ClientHttp2Stream): boolean {
  return resetEarly.has(stream)
}

subscribe('http2.client.stream.created', (message) => {
  const listener = onOpened
  onOpened = null
  listener?.((message as { stream: ClientHttp2Stream }).stream)
})

subscribe('http2.client.stream.close', (message) => {
  const { stream } = message as { stream: ClientHttp2Stream }
  if (!hasEnded(stream)) resetEarly.add(stream)
})

/**
 * Whether the end of a stream arrived. No public API tells this: `readableEnded` changes later, and `state.remoteClose`
 * is also 1 after a reset.
 */
function hasEnded(stream: ClientHttp2Stream): boolean {
  const { _readableState: state } = stream as ClientHttp2Stream & { _readableState?: { ended: boolean } }
  return state?.ended !== false
}

/**
 * Calls an upstream over HTTP/2, with undici.
 *
 * If the upstream does not support HTTP/2, each call gets its own HTTP/1.1 connection. undici would reuse a connection
 * at once, and could take unexpected bytes for the next answer.
 *
 * The upstream gets each call once. By itself, undici would resend a call after a refused stream.
 */
export class Http2Pool implements UpstreamPool {
  readonly #pool: Pool
  readonly #pathPrefix: string
  /** Follows the endpoint's path. May contain a key: never log it. */
  readonly #query: string
  /** Names and values, alternating: undici takes them so at once. */
  readonly #headers: readonly string[]

  /** @param options with an https URL */
  constructor({ url, headers, timeouts, ca }: UpstreamPoolOptions) {
    this.#pathPrefix = url.pathname.replace(/\/+$/, '')
    this.#query = url.search
    this.#headers = Object.entries(headers).flat()
    this.#pool = new Pool(url.origin, {
      connections: null,
      pipelining: 1,
      allowH2: true,
      connectTimeout: timeouts.connect,
      headersTimeout: timeouts.firstByte,
      bodyTimeout: timeouts.betweenChunks,
      connect: { preferH2: true, lookup: upstreamNames.lookup, ...(ca !== undefined && { ca }) }
    })
    // If the addresses cannot be reached, there may be others by now.
    this.#pool.on('connectionError', () => upstreamNames.forget(url.hostname))
  }

  get underWay(): number {
    return this.#pool.stats.size
  }

  dispatch(call: UpstreamCall, handler: AnswerHandler): void {
    const { path, other, requestId, trace, fields, body } = call
    this.#pool.dispatch(
      {
        method: other?.method ?? 'POST',
        path: this.#pathPrefix + path + queryOf(call, this.#query),
        // For HTTP/1.1. It has no effect on HTTP/2.
        reset: true,
        headers: [...this.#headers, 'x-request-id', requestId, ...traceFields(trace), ...fields],
        body: body.length === 0 ? null : typeof body === 'string' ? Buffer.from(body, 'latin1') : body
      },
      new UndiciHandler(handler)
    )
  }

  async close(): Promise<void> {
    // undici throws if a destroyed pool is closed.
    if (!this.#pool.destroyed) await this.#pool.close()
  }

  async destroy(): Promise<void> {
    await this.#pool.destroy()
  }
}

function traceFields(trace: TraceHeaders | null): readonly string[] {
  if (trace === null) return []
  const { traceparent, tracestate } = trace
  return ['traceparent', traceparent, ...(tracestate === '' ? [] : ['tracestate', tracestate])]
}

/** Translates the events of undici for an {@link AnswerHandler}. */
class UndiciHandler implements Dispatcher.DispatchHandler, CallController {
  readonly #handler: AnswerHandler
  #controller: Dispatcher.DispatchController | null = null
  /** Why the call was aborted. */
  #reason: Error | null = null
  /** null before the stream opens, and with HTTP/1.1. */
  #stream: ClientHttp2Stream | null = null

  constructor(handler: AnswerHandler) {
    this.#handler = handler
  }

  abort(reason: Error): void {
    this.#reason ??= reason
    this.#controller?.abort(reason)
  }

  /** undici drops bytes after an abort, so this first reads the arrived bytes, in two turns of the event loop. */
  leave(reason: Error): void {
    this.resume()
    setImmediate(() => setImmediate(() => this.abort(reason)))
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#stream !== null) {
      controller.abort(new CallError('connection_broke', 'the upstream refused the stream of the call'))
      return
    }
    this.#controller = controller
    this.#handler.onRequestStart(this)
    // undici opens the stream in the same turn.
    if (!controller.aborted) onNextStream((stream) => (this.#stream = stream))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    const field = (name: string) => joined(headers[name])
    const length = field('content-length')
    this.#handler.onResponseStart(this, status, {
      contentType: field('content-type'),
      contentEncoding: field('content-encoding'),
      retryAfter: field('retry-after'),
      retryAfterMs: field('retry-after-ms'),
      contentLength: length === undefined || status === 204 || status === 304 ? -1 : Number(length)
    })
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#handler.onResponseData(this, bytes)
  }

  onResponseEnd(): void {
    if (this.#stream !== null && wasReset(this.#stream)) {
      const error = new CallError('connection_broke', 'the upstream reset the stream of its answer')
      this.#handler.onResponseError(this, error)
    } else this.#handler.onResponseEnd(this)
  }

  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
    // undici passes no controller for a call that has not started.
    const hasStarted = Boolean(controller)
    this.#handler.onResponseError(
      hasStarted ? this : null,
      error === this.#reason ? error : callErrorOf(error, hasStarted)
    )
  }
}

/** Converts an error of undici. @param hasStarted whether the call had a connection */
function callErrorOf(error: Error, hasStarted: boolean): CallError {
  if (error instanceof CallError) return error
  if (error instanceof errors.ConnectTimeoutError) return new CallError('connect_timeout', error.message, error)
  if (error instanceof errors.HeadersTimeoutError) return new CallError('first_byte_timeout', error.message, error)
  if (error instanceof errors.BodyTimeoutError) return new CallError('between_chunks_timeout', error.message, error)
  if (error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError) {
    return new CallError('pool_closed', 'the gateway is stopping', error)
  }
  if (!hasStarted) return new CallError('not_connected', 'the upstream cannot be reached', error)
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return new CallError('malformed_answer', "the upstream's answer is broken", error)
  }
  return new CallError('connection_broke', 'the connection to the upstream broke', error)
}

function joined(values: string | string[] | undefined): string | undefined {
  return Array.isArray(values) ? values.join(', ') : values
}
