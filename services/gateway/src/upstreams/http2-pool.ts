import type { IncomingHttpHeaders } from 'node:http'
import type { ClientHttp2Stream } from 'node:http2'
import { type Dispatcher, errors, Pool } from 'undici'
import { CallError } from './call-error.ts'
import { onNextStream, wasReset } from './http2-streams.ts'
import type { AnswerHandler, CallController, UpstreamCall, UpstreamPool, UpstreamPoolOptions } from './upstream-pool.ts'

/**
 * Calls an upstream with HTTP/2 by undici. If the upstream does not agree to that, each call has a connection of its own
 * with HTTP/1.1: undici would use one again at once, and take what came unasked for the next answer.
 *
 * The upstream gets each call once: undici would send a call again whose stream was refused.
 */
export class Http2Pool implements UpstreamPool {
  readonly #pool: Pool
  readonly #pathPrefix: string
  /** What follows an endpoint's path. May hold a key: never log it. */
  readonly #query: string
  readonly #headers: readonly string[]

  constructor({ url, headers, timeouts, ca }: UpstreamPoolOptions) {
    this.#pathPrefix = url.pathname.replace(/\/+$/, '')
    this.#query = url.search
    this.#headers = headers
    this.#pool = new Pool(url.origin, {
      connections: null,
      pipelining: 1,
      allowH2: true,
      connectTimeout: timeouts.connect,
      headersTimeout: timeouts.firstByte,
      bodyTimeout: timeouts.betweenChunks,
      connect: { preferH2: true, ...(ca !== undefined && { ca }) }
    })
  }

  get underWay(): number {
    return this.#pool.stats.running + this.#pool.stats.pending
  }

  dispatch({ path, requestId, body }: UpstreamCall, handler: AnswerHandler): void {
    this.#pool.dispatch(
      {
        method: 'POST',
        path: this.#pathPrefix + path + this.#query,
        // Of HTTP/1.1 only.
        reset: true,
        headers: [...this.#headers, 'x-request-id', requestId],
        body: typeof body === 'string' ? Buffer.from(body, 'latin1') : body
      },
      new Translation(handler)
    )
  }

  async close(): Promise<void> {
    // undici takes it for a mistake to close what has been cut off.
    if (!this.#pool.destroyed) await this.#pool.close()
  }

  async destroy(): Promise<void> {
    await this.#pool.destroy()
  }
}

/** Tells a handler of ours what undici tells, and undici what the handler does. */
class Translation implements Dispatcher.DispatchHandler, CallController {
  readonly #handler: AnswerHandler
  #controller: Dispatcher.DispatchController | null = null
  #began = false
  /** null before it is opened, and with HTTP/1.1. */
  #stream: ClientHttp2Stream | null = null

  constructor(handler: AnswerHandler) {
    this.#handler = handler
  }

  abort(reason: Error): void {
    this.#controller?.abort(reason)
  }

  /** A stream that is reset brings nothing any more: what has arrived is read in a turn of the event loop. */
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
    this.#began = true
    const length = headers['content-length']
    this.#handler.onResponseStart(this, status, {
      contentType: headers['content-type'],
      contentEncoding: headers['content-encoding'],
      retryAfter: headers['retry-after'],
      retryAfterMs: headers['retry-after-ms'] as string | undefined,
      contentLength: length === undefined ? -1 : Number(length)
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
    this.#handler.onResponseError(controller ? this : null, callErrorOf(error, this.#began))
  }
}

/** What failed, in our words. */
function callErrorOf(error: Error, answerBegan: boolean): CallError {
  if (error instanceof CallError) return error
  if (error instanceof errors.ConnectTimeoutError) return new CallError('connect_timeout', error.message, error)
  if (error instanceof errors.HeadersTimeoutError) return new CallError('first_byte_timeout', error.message, error)
  if (error instanceof errors.BodyTimeoutError) return new CallError('between_chunks_timeout', error.message, error)
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (!answerBegan && neverConnected.test(code)) {
    return new CallError('not_connected', 'the upstream cannot be reached', error)
  }
  return new CallError('connection_broke', 'the connection to the upstream broke', error)
}

const neverConnected = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$|CERT|TLS|SSL/
