import { once } from 'node:events'
import { createServer } from 'node:http'
import { isAddressInUse, PortTakenError, startOnPort } from '../free-port.ts'
import { isOwnHost, misdirected, refusal } from '../own-host.ts'
import { requestHandler } from './handle-request.ts'
import { type RecordedRequest, type RecorderLimits, type RequestEvent, RequestRecorder } from './request-recorder.ts'

export interface ModelsOptions {
  /** 0 chooses a free port. */
  readonly port: number
  /** The API key that requests must carry; `sandbox` by default. */
  readonly apiKey?: string
  /** The default delay between the events of a stream; 15 ms. Model names can set another. */
  readonly paceMs?: number
  /** Whether only the listed models exist. By default every name is a model. */
  readonly strict?: boolean
  /** How long an idle connection stays open; a minute by default. */
  readonly keepAliveMs?: number
  /** Awaited before each answer, so that a test can hold answers back. */
  readonly beforeAnswer?: () => Promise<void>
  /** Limits of the recorder that differ from the defaults. */
  readonly remember?: Partial<RecorderLimits>
}

export interface RunningModels {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The base URL for clients: `url` and `/v1`. */
  readonly baseUrl: string
  readonly port: number
  /** The recorded requests, oldest first. With `id` (the record's, or the request's `x-request-id`), only this one. */
  requests(filter?: { since?: number; id?: string }): RecordedRequest[]
  /** The bytes of the body of one of the latest requests; else null. `id` is the record's id. */
  body(id: string): Buffer | null
  /**
   * Resolves with the first matching request that has finished or was aborted by its client; at once if one already
   * has.
   */
  once(event: RequestEvent, match?: (request: RecordedRequest) => boolean): Promise<RecordedRequest>
  /** Deletes all records. */
  clear(): void
  /** Stops the server and cuts off answers in progress. */
  close(): Promise<void>
}

const defaultPaceMs = 15
const defaultKeepAliveMs = 60_000

/**
 * Starts a server on 127.0.0.1 that speaks the APIs of OpenAI and Anthropic with deterministic answers. It keeps
 * responses and cached prompts in memory. Model names choose its behaviour: see
 * `model-name.ts`. `GET /sandbox/requests` returns the recorded requests.
 *
 * @throws PortTakenError if another program uses the port
 */
export async function startModels(options: ModelsOptions): Promise<RunningModels> {
  const {
    apiKey = 'sandbox',
    paceMs = defaultPaceMs,
    strict = false,
    keepAliveMs = defaultKeepAliveMs,
    remember
  } = options
  const { beforeAnswer = async () => {} } = options
  const recorder = new RequestRecorder(remember)
  const handle = requestHandler({ apiKey, paceMs, strict, beforeAnswer }, recorder)
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (incoming, response) => {
    if (!isOwnHost(incoming.headers.host)) {
      response.writeHead(misdirected, { 'content-type': 'text/plain', connection: 'close' })
      return void response.end(refusal)
    }
    const url = new URL(`http://127.0.0.1${incoming.url?.startsWith('/') ? incoming.url : '/'}`)
    if (!url.pathname.startsWith('/sandbox/')) return handle(incoming, response, url)
    const { status, body } = askRecorder(incoming.method ?? '', url, recorder)
    const isBytes = body instanceof Buffer
    response.writeHead(status, { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' })
    response.end(isBytes ? body : JSON.stringify(body))
  })
  const port = await startOnPort(options.port, async (port) => {
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return port
    } catch (error) {
      throw isAddressInUse(error) ? new PortTakenError(port) : error
    }
  })

  const url = `http://127.0.0.1:${port}`
  const hasHappened = { finished: 'finishedAtMs', aborted: 'abortedAtMs' } as const
  return {
    url,
    baseUrl: `${url}/v1`,
    port,
    requests: (filter) => recorder.list(filter),
    body: (id) => recorder.body(id),
    once: (event, match = () => true) =>
      new Promise((resolve) => {
        const earlier = recorder.list().find((request) => request[hasHappened[event]] !== null && match(request))
        if (earlier !== undefined) return resolve(earlier)
        const stop = recorder.on(event, (request) => {
          if (!match(request)) return
          stop()
          resolve(request)
        })
      }),
    clear: () => recorder.clear(),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
}

interface RecorderAnswer {
  readonly status: number
  /** Bytes are sent unchanged, other values as JSON. */
  readonly body: object | Buffer
}

/**
 * The recorded requests over HTTP, for tests in other processes. It needs no API key, because it listens on 127.0.0.1.
 *
 * - `GET /sandbox/requests?since=<sequence>&id=<id or x-request-id>` → `{ requests: [...] }`, oldest first
 * - `GET /sandbox/requests/<id>/body` → the bytes of the body
 * - `DELETE /sandbox/requests` → deletes all records
 */
function askRecorder(method: string, { pathname, searchParams }: URL, recorder: RequestRecorder): RecorderAnswer {
  const [, id] = /^\/sandbox\/requests\/([^/]+)\/body$/.exec(pathname) ?? []
  if (method === 'GET' && id !== undefined) {
    return {
      status: recorder.body(id) === null ? 404 : 200,
      body: recorder.body(id) ?? { error: 'This body is not recorded.' }
    }
  }
  if (method === 'GET' && pathname === '/sandbox/requests') {
    const since = Number(searchParams.get('since') ?? 0)
    if (!Number.isSafeInteger(since)) return { status: 400, body: { error: 'since should be a sequence number.' } }
    const requestId = searchParams.get('id')
    return { status: 200, body: { requests: recorder.list(requestId === null ? { since } : { since, id: requestId }) } }
  }
  if (method === 'DELETE' && pathname === '/sandbox/requests') {
    recorder.clear()
    return { status: 200, body: { requests: [] } }
  }
  return { status: 404, body: { error: `There is no ${method} ${pathname}.` } }
}
