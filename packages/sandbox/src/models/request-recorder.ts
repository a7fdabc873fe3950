import type { IncomingHttpHeaders } from 'node:http'
import { randomId } from './ids.ts'

/** What the server knows about one request to it, as the truth that tests compare other accounts with. */
export interface RecordedRequest {
  /** Counts the requests since the server started, from 1. */
  readonly sequence: number
  /** Also the answer's `x-request-id`. */
  readonly id: string
  /** The `x-request-id` that the request came with. */
  readonly requestId: string | null
  readonly method: string
  /** Path without query, such as `/v1/chat/completions`. */
  readonly endpoint: string
  /** As the request named it, directives included; null when it could not be read. */
  model: string | null
  stream: boolean
  /** Without those that carry credentials; null for all but the latest 1,000 requests. */
  headers: IncomingHttpHeaders | null
  promptTokens: number
  /** Part of `promptTokens`. */
  cachedTokens: number
  /** Produced so far, whatever the answer reports: those of every event or body handed to the connection. */
  completionTokens: number
  /** Part of `completionTokens`. */
  reasoningTokens: number
  /** Status of the answer; null before it has begun. */
  status: number | null
  /** Bytes of the answer's body so far. */
  bytesWritten: number
  /** Stream events so far. */
  chunksWritten: number
  readonly startedAtMs: number
  /** When the answer was complete, as far as its kind has an end; null if it was not (yet). */
  finishedAtMs: number | null
  /** When the client went away before the answer was complete. */
  abortedAtMs: number | null
}

export type RequestEvent = 'finished' | 'aborted'
type Listener = (request: RecordedRequest) => void

/** How many of the latest requests are remembered, and of how many of these the headers and the bodies. */
export interface RecorderLimits {
  readonly records: number
  readonly headers: number
  readonly bodies: number
  /** All bodies together. */
  readonly bodyBytes: number
}

const defaultLimits: RecorderLimits = { records: 100_000, headers: 1_000, bodies: 50, bodyBytes: 64 * 1024 * 1024 }
const credentialHeader = /authorization|cookie|api-key|token|secret/

/** Remembers requests: the latest 100,000, and the bodies of the latest 50 of them (at most 64 MiB together). */
export class RequestRecorder {
  readonly #records = new Map<string, RecordedRequest>()
  readonly #withHeaders: RecordedRequest[] = []
  readonly #bodies = new Map<string, Buffer>()
  readonly #listeners: Record<RequestEvent, Set<Listener>> = { finished: new Set(), aborted: new Set() }
  readonly #limits: RecorderLimits
  /** Of `#records`, at the oldest. One that is begun anew for each would pass by all that were ever deleted. */
  #oldest = this.#records.keys()
  #sequence = 0
  #bodyBytes = 0

  constructor(limits: Partial<RecorderLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Begins the record of a request. Its members are updated in place as the request goes on. */
  begin(method: string, endpoint: string, headers: IncomingHttpHeaders, nowMs: number): RecordedRequest {
    const incoming = headers['x-request-id']
    const record: RecordedRequest = {
      sequence: ++this.#sequence,
      id: randomId('req_'),
      requestId: typeof incoming === 'string' ? incoming : null,
      method,
      endpoint,
      model: null,
      stream: false,
      headers: withoutCredentials(headers),
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
      status: null,
      bytesWritten: 0,
      chunksWritten: 0,
      startedAtMs: nowMs,
      finishedAtMs: null,
      abortedAtMs: null
    }
    this.#records.set(record.id, record)
    this.#withHeaders.push(record)
    if (this.#withHeaders.length > this.#limits.headers) dropHeaders(this.#withHeaders.shift())
    if (this.#records.size > this.#limits.records) this.#records.delete(this.#oldest.next().value ?? '')
    return record
  }

  keepBody(record: RecordedRequest, body: Buffer): void {
    this.#bodies.set(record.id, body)
    this.#bodyBytes += body.length
    const { bodies, bodyBytes } = this.#limits
    while (this.#bodies.size > bodies || (this.#bodyBytes > bodyBytes && this.#bodies.size > 1)) {
      const oldest = first(this.#bodies)
      this.#bodyBytes -= this.#bodies.get(oldest)?.length ?? 0
      this.#bodies.delete(oldest)
    }
  }

  finish(record: RecordedRequest, nowMs: number): void {
    record.finishedAtMs = nowMs
    this.#announce('finished', record)
  }

  abort(record: RecordedRequest, nowMs: number): void {
    record.abortedAtMs = nowMs
    this.#announce('aborted', record)
  }

  /** The bytes of a request's body as they arrived; null when they are not (or no longer) kept. */
  body(id: string): Buffer | null {
    return this.#bodies.get(id) ?? null
  }

  /** Copies of the records after `since` (a sequence number), oldest first; `id` is one of ours or the `x-request-id` that came in. */
  list({ since = 0, id }: { since?: number; id?: string } = {}): RecordedRequest[] {
    const found: RecordedRequest[] = []
    for (const record of this.#records.values()) {
      const isAsked = id === undefined || record.id === id || record.requestId === id
      if (record.sequence > since && isAsked) found.push({ ...record })
    }
    return found
  }

  on(event: RequestEvent, listener: Listener): () => void {
    this.#listeners[event].add(listener)
    return () => this.#listeners[event].delete(listener)
  }

  #announce(event: RequestEvent, record: RecordedRequest): void {
    for (const listener of [...this.#listeners[event]]) listener({ ...record })
  }

  /** Forgets all requests. Sequence numbers go on, and requests in progress are still announced when they end. */
  clear(): void {
    this.#records.clear()
    this.#oldest = this.#records.keys()
    this.#withHeaders.length = 0
    this.#bodies.clear()
    this.#bodyBytes = 0
  }
}

function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeader.test(name)))
}

function dropHeaders(record: RecordedRequest | undefined): void {
  if (record !== undefined) record.headers = null
}

function first(map: ReadonlyMap<string, unknown>): string {
  const [key = ''] = map.keys()
  return key
}
