import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { chatOf, rawConnection } from '@tollgate/gateway/testing/client.ts'
import { startFakeUpstream } from '@tollgate/gateway/testing/fake-upstream.ts'
import { cut, cuts, mutate, mutations } from '@tollgate/gateway/testing/mutations.ts'
import { startGateway } from '@tollgate/gateway/testing/start-gateway.ts'
import fc from 'fast-check'
import { checkFailure, shortAnswer, speaksAll } from './all-apis.ts'
import { LoopWatch, withLeakCheck } from './loop-watch.ts'
import { readAnswers } from './read-answers.ts'

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

const megabyte = 1024 * 1024
const hangMs = 10_000
const settleMs = 10_000

const bodies = {
  '/v1/chat/completions': JSON.stringify(chatOf('small')),
  '/v1/responses': '{"model":"small","input":"Hello"}',
  '/v1/messages': '{"model":"small","max_tokens":9,"messages":[{"role":"user","content":"Hello"}]}'
} as const
const paths = Object.keys(bodies) as Array<keyof typeof bodies>
const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
const encoderNames = Object.keys(encoders) as Array<keyof typeof encoders>
const bombs = Object.fromEntries(
  encoderNames.map((name) => [name, encoders[name](Buffer.alloc(21 * megabyte, ' '))])
) as Record<keyof typeof encoders, Buffer>

const content = fc
  .record({
    path: fc.constantFrom(...paths),
    encoder: fc.option(fc.constantFrom(...encoderNames)),
    padding: fc.constantFrom(0, 0, 1000, 70_000, 300_000),
    isBomb: fc.noBias(fc.nat({ max: 20 })).map((number) => number === 0)
  })
  .map(({ path, encoder, padding, isBomb }) => {
    const body = bodies[path]
    const plain = body.slice(0, -1) + ' '.repeat(padding) + body.slice(-1)
    if (encoder === null) return { path, encoder, bytes: Buffer.from(plain) }
    return { path, encoder, bytes: isBomb ? bombs[encoder] : encoders[encoder](plain) }
  })

const request = fc.record({
  content,
  /** A declared encoding that may differ from the real one. */
  declaredEncoding: fc.option(fc.constantFrom(...encoderNames, 'identity', 'gzip, br', 'x', ''), { freq: 3 }),
  changes: mutations,
  declared: fc.constantFrom('right', 'right', 'right', 'chunked', 'chunked', 'more', 'limit', 'too much'),
  ending: fc.constantFrom('waits', 'waits', 'waits', 'leaves'),
  cuts
})

/** Sends requests with wrong lengths or encodings, or that stop, and checks that no memory stays held. */
export async function fuzzArrivals(runs: number, seed: number): Promise<Map<number, number>> {
  const upstream = await startFakeUpstream()
  upstream.answer(({ request, response, body }) => {
    const { model } = JSON.parse(body) as { model: string }
    response
      .writeHead(model === 'small' ? 200 : 500, { 'content-type': 'application/json' })
      .end(shortAnswer(request.url!, false))
    upstream.received.length = 0
  })
  // Bodies that stop are refused soon.
  const protection = { failuresPerMinute: 1e9, slowBodyMs: 100 }
  const gateway = await startGateway(upstream.url, { protection, upstreamsFile: speaksAll(upstream.url) })
  const { secret } = await gateway.seedKey()
  const statuses = new Map<number, number>()

  const property = fc.asyncProperty(request, async ({ content, declaredEncoding, changes, declared, ending, cuts }) => {
    const bytes = mutate(content.bytes, changes)
    const encoding = declaredEncoding ?? content.encoder
    const length = { right: bytes.length, more: bytes.length + 70_000, limit: 20 * megabyte, 'too much': 21 * megabyte }
    const isChunked = declared === 'chunked'
    const head = [
      ...[
        `POST ${content.path} HTTP/1.1`,
        'host: x',
        'anthropic-version: 2023-06-01',
        `authorization: Bearer ${secret}`
      ],
      ...['content-type: application/json', 'connection: close'],
      ...(encoding === null ? [] : [`content-encoding: ${encoding}`]),
      isChunked ? 'transfer-encoding: chunked' : `content-length: ${length[declared]}`
    ]
    const socket = rawConnection(gateway)
    const answer = firstAnswer(socket)
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (const piece of cut(bytes, cuts)) {
      if (piece.length === 0) continue
      socket.write(isChunked ? `${piece.length.toString(16)}\r\n` : '')
      socket.write(piece)
      socket.write(isChunked ? '\r\n' : '')
      await new Promise(setImmediate)
    }
    if (ending === 'leaves') socket.destroy()
    else if (isChunked) socket.write('0\r\n\r\n')
    for (const { status, body } of readAnswers(ending === 'leaves' ? Buffer.alloc(0) : await answer)) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 400) checkFailure(status, body)
      else if (body !== shortAnswer(content.path, false)) throw new Error(`an unexpected answer: ${body}`)
    }
  })
  try {
    await withLeakCheck(gateway, () => fc.assert(property, { numRuns: runs, seed, endOnFailure: false }))
    const deadline = performance.now() + settleMs
    while (gateway.bodyMemory.heldBytes + gateway.bodyMemory.awaitedBytes !== 0) {
      if (performance.now() > deadline) throw new Error(`${gateway.bodyMemory.heldBytes} bytes of bodies are held`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await gateway.close()
    await upstream.close()
  }
  return statuses
}

/**
 * Reads the first answer of a connection, then closes it.
 *
 * @returns no bytes if it ended first
 * @throws Error if none comes
 */
function firstAnswer(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    socket.setTimeout(hangMs, () => {
      reject(new Error('the gateway hangs'))
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      const text = bytes.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/\r\ncontent-length: (\d+)/.exec(text)?.[1])
      if (head >= 0 && text.length >= head + 4 + length) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(bytes))
  })
}

/**
 * Opens connections that cause much work with few bytes: thousands of requests at once, or bodies in tiny chunks. None
 * may hold the gateway's event loop for longer than 20 ms of CPU time.
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
