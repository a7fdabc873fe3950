import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dialect } from './dialect.ts'
import type { RecordedRequest, RequestRecorder } from './request-recorder.ts'

/** One request and its answer. Writes with back-pressure and updates the request's record. */
export class Exchange {
  readonly record: RecordedRequest
  readonly dialect: Dialect
  /** Aborted if the connection closes before the answer is complete. */
  readonly disconnected: AbortSignal
  readonly #response: ServerResponse
  readonly #recorder: RequestRecorder
  /** The total tokens, if the model keeps producing after the client leaves. */
  #billed: number | null = null

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    record: RecordedRequest,
    recorder: RequestRecorder,
    dialect: Dialect
  ) {
    this.record = record
    this.dialect = dialect
    this.#response = response
    this.#recorder = recorder
    const disconnected = new AbortController()
    this.disconnected = disconnected.signal
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    response.once('finish', () => recorder.finish(record, Date.now()))
    response.once('close', () => {
      if (response.writableFinished) return
      if (record.finishedAtMs === null) {
        if (this.#billed !== null) record.completionTokens = this.#billed
        recorder.abort(record, Date.now())
      }
      disconnected.abort()
    })
  }

  /** Sets the total tokens of an answer that is produced to its end even if the client leaves. */
  billsAborted(tokens: number): void {
    this.#billed = tokens
  }

  /** Counts hidden tokens. */
  produce(tokens: number): void {
    if (!this.disconnected.aborted) this.record.completionTokens += tokens
  }

  /** Sends the head of the answer. */
  begin(status: number, headers: Record<string, string | number>): void {
    if (this.disconnected.aborted) return
    this.record.status = status
    this.#response.writeHead(status, { ...this.dialect.headers(this.record.id), ...headers })
    this.#response.flushHeaders()
  }

  /**
   * Writes a part of the body. Resolves when the connection accepts more or has closed.
   *
   * @param tokens the tokens that the model produced for it
   */
  async write(part: string | Buffer, tokens = 0): Promise<void> {
    if (this.disconnected.aborted) return
    this.record.completionTokens += tokens
    this.record.bytesWritten += Buffer.byteLength(part)
    if (this.#response.write(part)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#response.off('drain', done)
        this.disconnected.removeEventListener('abort', done)
        resolve()
      }
      this.#response.once('drain', done)
      this.disconnected.addEventListener('abort', done)
    })
  }

  /** Writes a server-sent event. */
  async writeEvent(data: object, tokens = 0): Promise<void> {
    if (this.disconnected.aborted) return
    this.record.chunksWritten += 1
    const name = this.dialect.namesEvents ? `event: ${Reflect.get(data, 'type')}\n` : ''
    await this.write(`${name}data: ${JSON.stringify(data)}\n\n`, tokens)
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

  /** Resets the connection after all written bytes have left this process. This ends the answer as requested. */
  async reset(): Promise<void> {
    const { socket } = this.#response
    if (socket === null || this.disconnected.aborted) return
    // Node buffers writes until the end of the tick. The callback of an empty write runs after all earlier writes.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => socket.write('', resolve))
    this.#recorder.finish(this.record, Date.now())
    socket.resetAndDestroy()
  }

  /** Resolves after `ms`, or earlier when the connection closes. */
  async wait(ms: number): Promise<void> {
    if (this.disconnected.aborted || ms <= 0) return
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.disconnected.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.disconnected.addEventListener('abort', done)
    })
  }

  /** Resolves when the connection closes. */
  async untilDisconnected(): Promise<void> {
    if (this.disconnected.aborted) return
    await new Promise<void>((resolve) => this.disconnected.addEventListener('abort', () => resolve(), { once: true }))
  }
}
