import { once } from 'node:events'
import { createServer } from 'node:http'
import { startOnPort } from '../free-port.ts'
import { isOwnHost, misdirected, refusal } from '../own-host.ts'
import { isAddressInUse, PortTakenError } from '../port-taken-error.ts'
import { requestHandler } from './handle-request.ts'
import { askRecorder } from './recorder-endpoints.ts'
import { type RecordedRequest, type RecorderLimits, type RequestEvent, RequestRecorder } from './request-recorder.ts'

export interface ModelsOptions {
  /** 0 chooses a free one. */
  readonly port: number
  /** The key that requests must carry; `sandbox` unless given. */
  readonly apiKey?: string
  /** The usual delay between the events of a stream; 15 unless given. Model names can ask for another. */
  readonly paceMs?: number
  /** Whether only the listed models exist; otherwise every name is a model. */
  readonly strict?: boolean
  /** How long an idle connection is kept; a minute unless given. */
  readonly keepAliveMs?: number
  /** Awaited before each answer, so that a test can hold answers back. */
  readonly beforeAnswer?: () => Promise<void>
  /** How much is remembered of what the server has seen, where it is not as much as usual. */
  readonly remember?: Partial<RecorderLimits>
}

export interface RunningModels {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** What clients take as their base URL: `url` and `/v1`. */
  readonly baseUrl: string
  readonly port: number
  /** What the server has seen, oldest first; of one id (ours, or the `x-request-id` it came with) if given. */
  requests(filter?: { since?: number; id?: string }): RecordedRequest[]
  /** The bytes of a request's body as they arrived, for the latest requests; else null. `id` is ours. */
  body(id: string): Buffer | null
  /**
   * Resolves with the first request that has finished, or was aborted by its client, and matches; at once if that has
   * happened already.
   */
  once(event: RequestEvent, match?: (request: RecordedRequest) => boolean): Promise<RecordedRequest>
  /** Forgets what was seen. */
  clear(): void
  /** Stops the server; answers in progress are cut off. */
  close(): Promise<void>
}

const defaultPaceMs = 15
const defaultKeepAliveMs = 60_000

/**
 * Starts a server on 127.0.0.1 that speaks OpenAI's API and answers deterministically. Model names choose how it behaves:
 * see `model-name.ts`. `GET /sandbox/requests` tells what it has seen.
 *
 * @throws PortTakenError when another program has the port
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
    if (!url.pathname.startsWith('/sandbox/')) return handle(incoming, response, url.pathname)
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
