import type { IncomingHttpHeaders } from 'node:http'
import { randomId } from './write-text.ts'

/** The bill of an answer that has none of these kinds. */
export const noKinds: BilledKinds = {
  cacheWriteTokens: 0,
  cacheWriteLongTokens: 0,
  audioPromptTokens: 0,
  imagePromptTokens: 0,
  audioCompletionTokens: 0,
  imageCompletionTokens: 0,
  toolCalls: {},
  serviceTier: null
}

/** The server's record of one request, which is also its bill. Tests compare the gateway's numbers with it. */
export interface RecordedRequest extends BilledKinds {
  /** The request's number since the server started, from 1. */
  readonly sequence: number
  /** Also the answer's `x-request-id`. */
  readonly id: string
  /** The `x-request-id` header of the request. */
  readonly requestId: string | null
  readonly method: string
  /** Path without query, such as `/v1/chat/completions`. */
  readonly endpoint: string
  /** The model name of the request, including directives; null if unreadable. */
  model: string | null
  stream: boolean
  /** The headers without credentials; null except for the latest 1,000 requests. */
  headers: IncomingHttpHeaders | null
  promptTokens: number
  /** Part of `promptTokens`. */
  cachedTokens: number
  /** The tokens of all events or bodies written so far, even if the answer reports others. */
  completionTokens: number
  /** Part of `completionTokens`. */
  reasoningTokens: number
  /** The answer's status; null before it begins. */
  status: number | null
  /** Bytes of the answer's body so far. */
  bytesWritten: number
  /** Stream events so far. */
  chunksWritten: number
  readonly startedAtMs: number
  /** When the answer was complete; null until then. */
  finishedAtMs: number | null
  /** When the client disconnected before the answer was complete. */
  abortedAtMs: number | null
}

export type RequestEvent = 'finished' | 'aborted'
type Listener = (request: RecordedRequest) => void

/** How many of the latest requests are recorded, and for how many of these the headers and bodies. */
export interface RecorderLimits {
  readonly records: number
  readonly headers: number
  readonly bodies: number
  /** The total size of all bodies. */
  readonly bodyBytes: number
}

const defaultLimits: RecorderLimits = { records: 100_000, headers: 1_000, bodies: 50, bodyBytes: 64 * 1024 * 1024 }
const credentialHeader = /authorization|cookie|api-key|token|secret/

/** Records the latest 100,000 requests, and the bodies of the latest 50 (at most 64 MiB in total). */
export class RequestRecorder {
  readonly #records = new Map<string, RecordedRequest>()
  readonly #withHeaders: RecordedRequest[] = []
  readonly #bodies = new Map<string, Buffer>()
  readonly #listeners: Record<RequestEvent, Set<Listener>> = { finished: new Set(), aborted: new Set() }
  readonly #limits: RecorderLimits
  /** An iterator over `#records`, at the oldest. A new iterator would step over all deleted entries each time. */
  #oldest = this.#records.keys()
  #sequence = 0
  #bodyBytes = 0

  constructor(limits: Partial<RecorderLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Starts the record of a request. Its members are updated in place. */
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
      ...noKinds,
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

  /** Adds the kinds of tokens and calls to a request's bill. */
  bill(record: RecordedRequest, kinds: BilledKinds): void {
    Object.assign(record, kinds)
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

  /** The bytes of a request's body; null if they are not recorded. */
  body(id: string): Buffer | null {
    return this.#bodies.get(id) ?? null
  }

  /**
   * Copies of the records after the sequence number `since`, oldest first. `id` is the record's id or the request's
   * `x-request-id`.
   */
  list({ since = 0, id }: { since?: number; id?: string } = {}): RecordedRequest[] {
    const records: RecordedRequest[] = []
    for (const record of this.#records.values()) {
      const isAsked = id === undefined || record.id === id || record.requestId === id
      if (record.sequence > since && isAsked) records.push({ ...record })
    }
    return records
  }

  on(event: RequestEvent, listener: Listener): () => void {
    this.#listeners[event].add(listener)
    return () => this.#listeners[event].delete(listener)
  }

  #announce(event: RequestEvent, record: RecordedRequest): void {
    for (const listener of [...this.#listeners[event]]) listener({ ...record })
  }

  /** Deletes all records. Sequence numbers continue, and requests in progress are still announced when they end. */
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

/** What a provider bills with its own price, besides plain prompt and completion tokens. */
export interface BilledKinds {
  /** Part of the prompt tokens: written to the cache for its short lifetime (5 or 30 minutes). */
  readonly cacheWriteTokens: number
  /** Part of the prompt tokens: written to the cache for its long lifetime (1 or 12 hours). */
  readonly cacheWriteLongTokens: number
  /** Part of the prompt tokens. */
  readonly audioPromptTokens: number
  /** Part of the prompt tokens. */
  readonly imagePromptTokens: number
  /** Part of the completion tokens. */
  readonly audioCompletionTokens: number
  /** Part of the completion tokens. */
  readonly imageCompletionTokens: number
  /** Calls of the provider's own tools by name, such as `web_search`. */
  readonly toolCalls: Readonly<Record<string, number>>
  /** The tier that served the request, in the provider's word; null if the endpoint has no tiers. */
  readonly serviceTier: string | null
}
