import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RecordedRequest, RequestRecorder } from './request-recorder.ts'

/** Headers that OpenAI's API and the edge before it add. A gateway must not let them all through. */
const openaiHeaders = {
  'openai-organization': 'sandbox',
  'openai-version': '2020-10-01',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-remaining-requests': '9999',
  'set-cookie': '__cf_bm=sandbox; path=/; HttpOnly'
}

/** One request and its answer: writes with back-pressure, and keeps the recorder's record of both. */
export class Exchange {
  readonly record: RecordedRequest
  /** Aborted when the connection has closed before the answer was complete. */
  readonly gone: AbortSignal
  readonly #response: ServerResponse
  readonly #recorder: RequestRecorder
  /** The tokens that are produced in all, if that does not end with the connection. */
  #billed: number | null = null

  constructor(request: IncomingMessage, response: ServerResponse, record: RecordedRequest, recorder: RequestRecorder) {
    this.record = record
    this.#response = response
    this.#recorder = recorder
    const gone = new AbortController()
    this.gone = gone.signal
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    response.once('finish', () => recorder.finish(record, Date.now()))
    response.once('close', () => {
      if (response.writableFinished) return
      if (record.finishedAtMs === null) {
        if (this.#billed !== null) record.completionTokens = this.#billed
        recorder.abort(record, Date.now())
      }
      gone.abort()
    })
  }

  /** Says that an answer is produced to its end also if its client leaves: so many tokens. */
  billsAborted(tokens: number): void {
    this.#billed = tokens
  }

  /** Counts tokens that are not shown. */
  produce(tokens: number): void {
    if (!this.gone.aborted) this.record.completionTokens += tokens
  }

  /** Sends the head of the answer. */
  begin(status: number, headers: Record<string, string | number>): void {
    if (this.gone.aborted) return
    this.record.status = status
    this.#response.writeHead(status, { 'x-request-id': this.record.id, ...openaiHeaders, ...headers })
    this.#response.flushHeaders()
  }

  /**
   * Writes a part of the body, and resolves when the connection can take more or has closed.
   *
   * @param tokens what the model has produced for it
   */
  async write(part: string | Buffer, tokens = 0): Promise<void> {
    if (this.gone.aborted) return
    this.record.completionTokens += tokens
    this.record.bytesWritten += Buffer.byteLength(part)
    if (this.#response.write(part)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#response.off('drain', done)
        this.gone.removeEventListener('abort', done)
        resolve()
      }
      this.#response.once('drain', done)
      this.gone.addEventListener('abort', done)
    })
  }

  /** Writes a server-sent event. */
  async writeEvent(data: string, tokens = 0): Promise<void> {
    if (this.gone.aborted) return
    this.record.chunksWritten += 1
    await this.write(`data: ${data}\n\n`, tokens)
  }

  end(): void {
    this.#response.end()
  }

  /** Answers with one JSON body. */
  async sendJson(status: number, body: object, headers: Record<string, string> = {}, tokens = 0): Promise<void> {
    const text = JSON.stringify(body)
    this.begin(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers })
    await this.write(text, tokens)
    this.end()
  }

  /** Resets the connection, once what was written has left this process. That is the end of the answer as asked for. */
  async reset(): Promise<void> {
    const { socket } = this.#response
    if (socket === null || this.gone.aborted) return
    // Node gathers the parts of a chunk until the end of the turn; an empty write is then done after all others.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => socket.write('', resolve))
    this.#recorder.finish(this.record, Date.now())
    socket.resetAndDestroy()
  }

  /** Resolves after `ms`, or earlier when the connection closes. */
  async wait(ms: number): Promise<void> {
    if (this.gone.aborted || ms <= 0) return
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.gone.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.gone.addEventListener('abort', done)
    })
  }

  /** Resolves when the connection closes. */
  async untilGone(): Promise<void> {
    if (this.gone.aborted) return
    await new Promise<void>((resolve) => this.gone.addEventListener('abort', () => resolve(), { once: true }))
  }
}
