import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import pino from 'pino'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'

type Answer = (received: Received) => void

let gateway: TestGateway
let upstream: FakeUpstream
let secret: string
const logged: Array<Record<string, unknown>> = []
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, {
    catalog: catalogOf({ small: [{ upstream: 'test' }] }),
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  })
  secret = (await gateway.seedKey()).secret
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})
t.beforeEach(() => {
  upstream.received.length = 0
  logged.length = 0
  gateway.upstreams.get('test')!.pauses.until.clear()
})

const quota = '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}'

async function ask(answer: Answer, headers: Record<string, string> = {}) {
  upstream.answer(answer)
  const response = await post(gateway, secret, '/chat/completions', chatOf('small'), {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
  })
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return { status: response.status, headers: Object.fromEntries(response.headers), error }
}

const answering =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body)

t.test('the client gets the status and reason of a refusal as an OpenAI error, and should not retry', async () => {
  const html = '<html><head><title>413 Request Entity Too Large</title></head></html>'
  const detail = '{"detail":[{"type":"missing","loc":["body","messages",0,"role"],"msg":"Field required","input":{}}]}'
  const gemini = '[{"error":{"code":400,"message":"Invalid JSON payload.","status":"INVALID_ARGUMENT"}}]'
  const vllm = '{"object":"error","message":"Too long.","type":"BadRequestError","param":null,"code":400}'
  for (const [status, body, type, expected] of [
    [422, detail, 'application/json', { message: 'messages.0.role: Field required', param: 'messages.0.role' }],
    [400, gemini, 'application/json', { message: 'Invalid JSON payload.', code: 'INVALID_ARGUMENT' }],
    [400, vllm, 'application/json', { message: 'Too long.', type: 'BadRequestError' }],
    [404, '{"error":"item \\"x\\" not found"}', 'application/json', { message: 'item "x" not found' }],
    [404, '{"statusCode":404,"message":"File not found"}', 'application/json', { message: 'File not found' }],
    [413, html, 'text/html', { message: '413 Request Entity Too Large' }],
    [451, 'Not in your country', 'text/plain', { message: 'Not in your country' }]
  ] as Array<[number, string, string, object]>) {
    const answer = await ask(answering(status, body, { 'content-type': type }))
    assert.equal(answer.status, status, body)
    assert.partialDeepStrictEqual(answer.error, { type: 'invalid_request_error', code: 'invalid_request', ...expected })
    assert.equal(answer.headers['x-should-retry'], 'false')
    assert.match(answer.headers['content-type']!, /^application\/json/)
  }
  assert.equal(upstream.received.length, 7)
})

t.test('the reason of a compressed refusal is read', async () => {
  const body = '{"error":{"message":"Too long.","code":"context_length_exceeded"}}'
  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['BR', brotliCompressSync],
    ['identity', Buffer.from]
  ] as Array<[string, (text: string) => Buffer]>) {
    const answer = await ask(answering(400, compress(body), { 'content-encoding': encoding }))
    assert.partialDeepStrictEqual(
      answer,
      { status: 400, error: { message: 'Too long.', code: 'context_length_exceeded' } },
      encoding
    )
    const poor = await ask(answering(429, compress(quota), { 'content-encoding': encoding }))
    assert.partialDeepStrictEqual(poor, { status: 502, error: { code: 'upstream_quota_exhausted' } }, encoding)
  }
  const unexplained = { status: 400, error: { message: 'The upstream provider refused the request.' } }
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  assert.partialDeepStrictEqual(await ask(answering(400, bomb, { 'content-encoding': 'gzip' })), unexplained)
  assert.partialDeepStrictEqual(await ask(answering(400, body, { 'content-encoding': 'gzip' })), unexplained)
  assert.partialDeepStrictEqual(await ask(answering(400, body, { 'content-encoding': 'unknown' })), unexplained)
})

t.test('if the operator has no credit, there is one call, an own error code, and an error in the log', async () => {
  const answer = await ask(answering(429, quota))
  assert.partialDeepStrictEqual(answer, { status: 502, error: { code: 'upstream_quota_exhausted' } })
  assert.match(answer.error.message as string, /operator/)
  assert.partialDeepStrictEqual(answer.headers, { 'x-should-retry': 'false' })
  assert.equal(upstream.received.length, 1)
  assert.partialDeepStrictEqual(
    logged.find(({ msg }) => msg === 'upstream failed'),
    { level: 50, upstream: 'test', err: { code: 'upstream_quota_exhausted' } }
  )
  await ask(answering(401, '{"error":{"code":"invalid_api_key","message":"no"}}'))
  assert.partialDeepStrictEqual(
    logged.findLast(({ msg }) => msg === 'upstream failed'),
    { level: 50, err: { code: 'upstream_rejected_credentials' } }
  )
  await ask(answering(500, ''))
  assert.partialDeepStrictEqual(
    logged.findLast(({ msg }) => msg === 'upstream failed'),
    { level: 40 },
    'a failure that may pass is a warning'
  )
})

t.test('a connection stays open after a refusal, with and without a length', async () => {
  const sockets = new Set<Socket>()
  for (const chunked of [false, true]) {
    for (let n = 0; n < 3; n++) {
      await ask(({ request, response }) => {
        sockets.add(request.socket)
        response.writeHead(429, chunked ? {} : { 'content-length': quota.length })
        response.write(quota, () => response.end())
      })
    }
  }
  // A connection rests before its next request, so a call may open another one.
  assert.ok(![...sockets].some(({ destroyed }) => destroyed))
})

t.test('the relay does not wait for the end of an endless or very long reason', async () => {
  const unending: Answer = ({ response }) => void response.writeHead(403).write('{"error":')
  assert.partialDeepStrictEqual(await ask(unending), { status: 502, error: { code: 'upstream_rejected_credentials' } })
  const long: Answer = ({ response }) => void response.writeHead(401).write('x'.repeat(70_000))
  assert.partialDeepStrictEqual(await ask(long), { status: 502, error: { code: 'upstream_rejected_credentials' } })
  const cut = await ask(({ response }) => void response.writeHead(400).write('x'.repeat(70_000)))
  assert.equal(cut.status, 400)
  assert.match(cut.error.message as string, /^x+$/)
  assert.equal(upstream.received.length, 3)
})

t.test('the client gets the wait that a provider asks for, in milliseconds if known', async () => {
  const limited = await ask(answering(429, '{}', { 'retry-after-ms': '2500', 'retry-after': '9' }))
  assert.partialDeepStrictEqual(limited.headers, {
    'retry-after': '3',
    'retry-after-ms': '2500',
    'x-should-retry': 'true'
  })
  const busy = await ask(answering(503, '', { 'retry-after': '7' }))
  assert.partialDeepStrictEqual(busy, { status: 502, error: { code: 'upstream_error' } })
  assert.partialDeepStrictEqual(busy.headers, {
    'retry-after': '7',
    'retry-after-ms': '7000',
    'x-should-retry': 'true'
  })
  const long = await ask(answering(503, '', { 'retry-after': '61' }))
  assert.partialDeepStrictEqual(
    long.headers,
    { 'retry-after': '61', 'x-should-retry': 'false' },
    'SDKs would not wait so long'
  )
})

t.test('a retry of an SDK gets fewer calls', async () => {
  for (const [count, calls] of [
    ['0', 3],
    ['1', 2],
    ['2', 1]
  ] as const) {
    upstream.received.length = 0
    const { headers } = await ask(answering(500, ''), { 'x-stainless-retry-count': count })
    assert.equal(upstream.received.length, calls, count)
    assert.equal(headers['x-should-retry'], calls === 1 ? 'true' : 'false')
  }
})

t.test('errors of the gateway itself say whether to retry, and browsers may read it', async () => {
  const call = (model: string, key: string, body?: string) =>
    post(gateway, key, '/chat/completions', body ?? chatOf(model), {
      headers: {
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        origin: 'https://app.example'
      }
    })
  const limited = (await gateway.seedKey({ key: { requestsPerMinute: 1 } })).secret
  upstream.answer(answering(200, '{"choices":[]}', { 'content-type': 'application/json' }))
  await (await call('small', limited)).text()
  for (const [response, status, expected] of [
    [await call('small', ''), 401, 'false'],
    [await call('unknown', secret), 403, 'false'],
    [await call('small', secret, '{'), 400, 'false'],
    [await call('small', limited), 429, 'true']
  ] as Array<[Response, number, string]>) {
    await response.text()
    assert.equal(response.status, status)
    assert.equal(response.headers.get('x-should-retry'), expected, String(status))
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? []
    for (const name of ['retry-after', 'retry-after-ms', 'x-should-retry', 'x-request-id'])
      assert.ok(exposed.includes(name))
    if (status !== 429) continue
    const [seconds, ms] = ['retry-after', 'retry-after-ms'].map((name) => Number(response.headers.get(name)))
    assert.ok(ms! > 0 && ms! <= 60_000, `${ms} ms`)
    assert.equal(seconds, Math.ceil(ms! / 1000))
  }
})
