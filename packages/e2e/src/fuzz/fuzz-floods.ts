import { connect } from 'node:net'
import { startFakeUpstream } from '@tollgate/gateway/testing/fake-upstream.ts'
import fc from 'fast-check'
import { LoopWatch } from './loop-watch.ts'

/** Longer than the gateway takes to answer or refuse a request. */
const leaveMs = 2000

const post = (secret: string, further: string, path = '/v1/chat/completions') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\n${further}\r\n\r\n`
const get = (path: string, secret: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\n${secret === '' ? '' : `authorization: Bearer ${secret}\r\n`}\r\n`
const body = '{"model":"x"}'

/** Short requests: many fit into one packet. */
const requests: Record<string, (secret: string) => string> = {
  models: (secret) => get('/v1/models', secret),
  unknown: (secret) => get('/x', secret),
  'OpenAPI documents': (secret) => get('/v1/openapi.json', secret),
  'refused chats': (secret) => post(secret, `content-length: ${body.length}`) + body,
  'refused responses': (secret) => post(secret, `content-length: ${body.length}`, '/v1/responses') + body,
  'refused messages': (secret) =>
    post(secret, `anthropic-version: 2023-06-01\r\ncontent-length: ${body.length}`, '/v1/messages') + body,
  'stored responses': (secret) => get('/v1/responses/resp_1', secret),
  preflights: () =>
    'OPTIONS /v1/models HTTP/1.1\r\nhost: x\r\norigin: http://a.b\r\naccess-control-request-method: GET\r\n\r\n'
}
/** Pieces of a chunked body. */
const chunks: Record<string, string> = {
  'one-byte chunks': '1\r\n \r\n',
  'one-byte chunks with extensions': '1;a=b\r\n \r\n',
  'short chunks': '8\r\n        \r\n'
}

const flood = fc.record({
  what: fc.constantFrom(...Object.keys(requests), ...Object.keys(chunks)),
  hasKey: fc.boolean(),
  isGet: fc.boolean(),
  bytes: fc.integer({ min: 1000, max: 2_000_000 })
})

/**
 * Opens connections that cause much work with few bytes: thousands of requests at once, or bodies in tiny chunks. None may hold the
 * gateway's event loop for longer than 20 ms of CPU time.
 *
 * @returns how many floods there were of each kind, and the longest turn of the loop
 */
export async function fuzzFloods(runs: number, seed: number): Promise<Map<string, number>> {
  const upstream = await startFakeUpstream()
  const watch = new LoopWatch(upstream.url)
  const { url, secret } = await watch.started()
  const port = Number(new URL(url).port)
  const outcomes = new Map<string, number>()

  /** Resolves when the gateway has closed the connection, or sends nothing for a while. */
  const send = (bytes: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.on('close', () => resolve())
      socket.setTimeout(leaveMs, () => socket.destroy())
      socket.end(bytes)
    })

  const property = fc.asyncProperty(flood, async ({ what, hasKey, isGet, bytes }) => {
    const presented = hasKey ? secret : ''
    const request = requests[what]?.(presented)
    const unit = request ?? chunks[what]!
    const head = request !== undefined ? '' : post(presented, 'transfer-encoding: chunked')
    const many = unit.repeat(Math.ceil(bytes / unit.length))
    const text = (isGet ? head.replace('POST /v1/chat/completions', 'GET /v1/models') : head) + many
    outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
    await watch.assertShort(`${text.length} bytes of ${what}`, () => send(text))
  })
  try {
    // These requests make V8 compile the code.
    for (const request of Object.values(requests)) await send(request(secret).repeat(1000))
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
  } finally {
    await watch.close()
    await upstream.close()
  }
  watch.addTo(outcomes)
  return outcomes
}
