import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Dispatcher } from 'undici'
import type { Upstream } from '../upstreams/upstreams.ts'
import { describeRefusal, failureOfError, failureOfStatus, isAboutTheRequest } from './upstream-failure.ts'

/** Bytes of a refusal that are read for its message; what an upstream sends beyond them is not worth waiting for. */
const refusalLimit = 64 * 1024

export type RelayRequest = {
  upstream: Upstream
  /** Of the endpoint, without the upstream's prefix: `/chat/completions`. */
  path: string
  body: Buffer
  requestId: string
  /** Where the answer goes. Nothing has been written to it yet. */
  response: ServerResponse
  /** Whether the connection to the client must end with this answer. */
  isDraining: () => boolean
  /** Told of every failure that is not the client's own doing. */
  onFailure: (failure: ServiceError) => void
}

/**
 * Sends a request to an upstream and its answer to the client, as the bytes come and no faster than the client reads
 * them. When the client goes away the upstream call is aborted. The response is ended in any case.
 */
export function relay(request: RelayRequest): void {
  const { upstream, path, body, requestId } = request
  upstream.pool.dispatch(
    {
      method: 'POST',
      path: upstream.pathPrefix + path,
      headers: [...upstream.headers, 'x-request-id', requestId],
      body
    },
    new Exchange(request)
  )
}

/** One exchange with an upstream. undici calls the methods; a single object holds all of its state. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse
  readonly #requestId: string
  readonly #onFailure: (failure: ServiceError) => void
  readonly #isDraining: () => boolean
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #streaming = false
  /** Bytes that the upstream said it will send and has not sent yet; -1 if it did not say. */
  #remaining = -1
  #refusal: Buffer[] | null = null
  #refusalBytes = 0
  #done = false

  constructor(request: RelayRequest) {
    this.#response = request.response
    this.#requestId = request.requestId
    this.#onFailure = request.onFailure
    this.#isDraining = request.isDraining
    this.#response.once('close', this.#onClose)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The client may have left while the request was waiting for a connection.
    if (this.#done) controller.abort(clientGone)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#done) return
    this.#status = status
    if (status >= 300) {
      if (isAboutTheRequest(status)) {
        this.#refusal = []
        return
      }
      this.#fail(failureOfStatus(status, headers['retry-after']))
      controller.abort(answered)
      return
    }
    // Of the upstream's headers only these reach the client.
    const contentType = headers['content-type'] ?? 'application/json'
    const fields = ['content-type', contentType, 'x-request-id', this.#requestId]
    if (headers['content-encoding'] !== undefined) fields.push('content-encoding', headers['content-encoding'])
    this.#streaming = contentType.toLowerCase().startsWith('text/event-stream')
    // A stream may end with an event of ours, so its length is not known.
    if (headers['content-length'] !== undefined && !this.#streaming) {
      this.#remaining = Number(headers['content-length'])
      fields.push('content-length', headers['content-length'])
    }
    if (this.#isDraining()) fields.push('connection', 'close')
    this.#response.writeHead(status, fields)
    // Tells the client at once that its stream was accepted; the first token may take long.
    if (this.#streaming) this.#response.flushHeaders()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return
    if (this.#refusal !== null) {
      this.#refusalBytes += chunk.length
      if (this.#refusalBytes <= refusalLimit) {
        this.#refusal.push(chunk)
        return
      }
      this.#refuse()
      controller.abort(answered)
      return
    }
    if (this.#remaining === chunk.length) {
      // The last bytes, known as such, leave together with the end (and, in a short answer, with the headers).
      this.#finish()
      this.#response.end(chunk)
      return
    }
    if (this.#remaining > 0) this.#remaining -= chunk.length
    if (!this.#response.write(chunk)) {
      controller.pause()
      this.#response.once('drain', () => controller.resume())
    }
  }

  onResponseEnd(): void {
    if (this.#done) return
    if (this.#refusal !== null) {
      this.#refuse()
      return
    }
    this.#finish()
    this.#response.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#done) this.#fail(failureOfError(error, this.#status !== 0))
  }

  /** Passes on why the upstream refused the request. */
  #refuse(): void {
    this.#finish()
    this.#answer(this.#status, Buffer.from(JSON.stringify(describeRefusal(Buffer.concat(this.#refusal ?? [])))))
  }

  /** Tells the client of a failure in the way that is still open: a status, an event, or a connection that breaks. */
  #fail(failure: ServiceError): void {
    this.#finish()
    this.#onFailure(failure)
    if (!this.#response.headersSent) {
      this.#answer(failure.status, Buffer.from(JSON.stringify(failure.toBody())), failure.retryAfter)
    } else if (this.#streaming) {
      // The upstream may have broken off within an event, which ends here.
      this.#response.end(`\n\ndata: ${JSON.stringify(failure.toBody())}\n\n`)
    } else {
      this.#response.destroy()
    }
  }

  #answer(status: number, body: Buffer, retryAfter: number | null = null): void {
    const fields = ['content-type', 'application/json; charset=utf-8', 'x-request-id', this.#requestId]
    if (retryAfter !== null) fields.push('retry-after', String(retryAfter))
    this.#response.writeHead(status, [...fields, 'content-length', String(body.length)]).end(body)
  }

  #finish(): void {
    this.#done = true
    this.#response.off('close', this.#onClose)
  }

  readonly #onClose = (): void => {
    this.#done = true
    this.#controller?.abort(clientGone)
  }
}

/** Why an exchange was aborted, when it was not the upstream's fault. Shared: a stack trace for each would cost more than the abort. */
const clientGone = new Error('the client went away')
const answered = new Error('the client has its answer')
