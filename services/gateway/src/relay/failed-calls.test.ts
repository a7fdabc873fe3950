import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import {
  type FakeUpstream,
  plainAnswer,
  plainStream,
  type Received,
  startFakeUpstream
} from '../testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { Learned } from '../upstreams/upstreams.ts'

type Answer = (received: Received) => void

let gateway: TestGateway
let secret: string
/** What other workers would be told. */
const learned: Learned[] = []
const upstreams: Record<'a' | 'b', FakeUpstream> = {} as never
t.before(async () => {
  upstreams.a = await startFakeUpstream()
  upstreams.b = await startFakeUpstream()
  const file = ['a', 'b'].map(
    (name) => `${name}: { base_url: '${upstreams[name as 'a' | 'b'].url}/v1', timeouts_ms: { first_byte: 2000 } }`
  )
  // Nothing listens on this port any more.
  const gone = await startFakeUpstream()
  await gone.close()
  gateway = await startGateway('', {
    onLearned: (one) => learned.push(one),
    upstreamsFile: `upstreams: { ${file.join(', ')}, gone: { base_url: '${gone.url}' } }`,
    catalog: catalogOf({
      both: [
        { upstream: 'a', model: 'at-a' },
        { upstream: 'b', model: 'at-b', priority: 1 }
      ],
      unreachable: [{ upstream: 'gone' }, { upstream: 'b', priority: 1 }],
      alone: [{ upstream: 'a' }],
      nowhere: [{ upstream: 'missing' }],
      broken: [{ upstream: 'gone' }]
    })
  })
  secret = (await gateway.seedKey()).secret
})
t.teardown(async () => {
  await gateway.close()
  await upstreams.a.close()
  await upstreams.b.close()
})
t.beforeEach(() => {
  for (const upstream of Object.values(upstreams)) {
    upstream.received.length = 0
    upstream.answer(fine)
  }
  for (const { pauses } of gateway.upstreams.values()) pauses.until.clear()
  // Each test starts with closed breakers. breaker.test.ts tests the breakers.
  for (const { breaker } of gateway.upstreams.values()) {
    for (let call = 0; call < 100; call++) breaker.succeeded(breaker.begin(performance.now()), performance.now())
  }
})

const fine: Answer = ({ response, body }) => {
  const isStream = body.includes('"stream":true')
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? plainStream : plainAnswer)
}
const failing =
  (status: number, headers: Record<string, string> = {}): Answer =>
  ({ response }) =>
    void response.writeHead(status, headers).end('{"error":{"message":"no"}}')

const ask = async (model: string, members: object = {}) =>
  outcomeOf(await post(gateway, secret, '/chat/completions', chatOf(model, members)))
const calls = () => [upstreams.a.received.length, upstreams.b.received.length]

t.test('after a failure that another upstream can avoid, the next one is called with its own model name', async () => {
  for (const status of [408, 409, 425, 429, 500, 502, 503, 504, 529]) {
    upstreams.a.answer(failing(status))
    assert.equal(await ask('both'), '200', String(status))
    assert.equal(JSON.parse(upstreams.b.received.at(-1)!.body).model, 'at-b')
    assert.equal(JSON.parse(upstreams.a.received.at(-1)!.body).model, 'at-a')
    assert.equal(
      upstreams.a.received.at(-1)!.request.headers['x-request-id'],
      upstreams.b.received.at(-1)!.request.headers['x-request-id']
    )
  }
  upstreams.a.answer(({ response }) => void response.destroy())
  assert.equal(await ask('both', { stream: true }), '200', 'the connection breaks')
  assert.equal(await ask('unreachable'), '200', 'the connection fails')
})

t.test('failures about the request and timeouts are not retried', async () => {
  for (const [answer, expected] of [
    [failing(400), '400 invalid_request'],
    [failing(404), '404 invalid_request'],
    [failing(413), '413 invalid_request'],
    [failing(415), '415 invalid_request'],
    [failing(422), '422 invalid_request'],
    [failing(451), '451 invalid_request'],
    [() => {}, '504 upstream_timeout']
  ] as Array<[Answer, string]>) {
    upstreams.a.answer(answer)
    assert.equal(await ask('both'), expected)
  }
  assert.equal(calls()[1], 0)
})

t.test('after a failure that only the operator can repair, only other upstreams are called', async () => {
  const { pauses } = gateway.upstreams.get('a')!
  for (const status of [301, 401, 402, 403, 405, 412]) {
    pauses.until.clear()
    upstreams.a.answer(failing(status))
    assert.equal(await ask('both'), '200', String(status))
    assert.deepEqual(calls(), [1, 1], String(status))
    for (const upstream of Object.values(upstreams)) upstream.received.length = 0
  }
  upstreams.a.answer(failing(401))
  upstreams.b.answer(failing(500))
  assert.equal(await ask('both'), '502 upstream_error')
  assert.deepEqual(calls(), [1, 2], 'the other one is called again')
  upstreams.b.answer(fine)
  assert.equal(await ask('both'), '200')
  assert.deepEqual(calls(), [1, 3], 'the other one is called first for a while')
})

t.test('after several failures the client gets one that may pass', async () => {
  upstreams.a.answer(failing(429, { 'retry-after': '30' }))
  upstreams.b.answer(failing(401))
  const response = await post(gateway, secret, '/chat/completions', chatOf('both'))
  assert.partialDeepStrictEqual(Object.fromEntries(response.headers), {
    'retry-after': '30',
    'retry-after-ms': '30000',
    'x-should-retry': 'true'
  })
  assert.equal(await outcomeOf(response), '503 upstream_rate_limited')
})

t.test('a charged request never ends with 503, which proxies repeat', async () => {
  upstreams.a.answer(failing(429, { 'retry-after': '30' }))
  upstreams.b.answer(({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer))
  assert.equal(await ask('both', { stream: true }), '502 upstream_error')
  assert.deepEqual(calls(), [1, 1])
})

t.test('another upstream is retried while one asks for a long wait', async () => {
  gateway.upstreams.get('a')!.pauses.until.set('at-a', performance.now() + 60_000)
  upstreams.b.answer((received) => {
    upstreams.b.answer(fine)
    failing(500)(received)
  })
  assert.equal(await ask('both'), '200')
  assert.deepEqual(calls(), [0, 2])
})

t.test('a pause that an upstream asked one worker for is kept by the others, too', async () => {
  learned.length = 0
  const { pauses } = gateway.upstreams.get('a')!
  for (const [status, fields, ms] of [
    [429, { 'retry-after': '60' }, 60_000],
    [503, { 'retry-after-ms': '9000' }, 9000]
  ] as const) {
    pauses.until.clear()
    upstreams.a.answer(({ response }) => void response.writeHead(status, fields).end('{}'))
    assert.equal(await ask('both'), '200')
    assert.deepEqual(learned.splice(0), [{ kind: 'pause', upstream: 'a', model: 'at-a', ms }])
  }
  // Another worker was told.
  pauses.until.clear()
  upstreams.a.answer(fine)
  upstreams.a.received.length = upstreams.b.received.length = 0
  gateway.follow({ kind: 'pause', upstream: 'a', model: 'at-a', ms: 60_000 })
  assert.equal(await ask('both'), '200')
  assert.deepEqual(calls(), [0, 1])
  assert.deepEqual(learned, [], 'it tells nobody')
})

t.test('the status decides about a refusal that breaks off; an answer with a length is not replaced', async () => {
  for (const status of [400, 404, 413, 422]) {
    upstreams.a.answer(({ response }) => {
      response.writeHead(status, { 'content-length': '100' }).write('{"error":', () => response.destroy())
    })
    assert.equal(await ask('both'), `${status} invalid_request`)
  }
  const onlyHead = (headers: Record<string, string>) =>
    upstreams.a.answer(({ response }) => {
      response.writeHead(200, headers)
      response.flushHeaders()
      setImmediate(() => response.destroy())
    })
  onlyHead({})
  assert.equal(await ask('both'), '200', 'another call replaces an answer without a body')
  onlyHead({ 'content-length': '100' })
  assert.equal(await ask('both'), '502 upstream_error', 'the provider bills an answer with an announced length')
})

t.test('several failures of one request count once for the breaker', async () => {
  upstreams.a.answer(failing(500))
  const { breaker } = gateway.upstreams.get('a')!
  for (let request = 0; request < 4; request++) await ask('alone')
  assert.equal(breaker.waitMs(performance.now()), 0, 'twelve failures of four requests')
})

t.test('a request makes three calls at most, and then the client gets a failure', async () => {
  upstreams.a.answer(failing(500))
  upstreams.b.answer(failing(429, { 'retry-after': '1' }))
  assert.match(await ask('both'), /^50[23] upstream_(error|rate_limited)$/)
  assert.equal(upstreams.a.received.length + upstreams.b.received.length, 3)
  assert.equal(await ask('broken'), '502 upstream_unreachable')
  assert.equal(await ask('nowhere'), '503 model_unavailable')
})

t.test('a single upstream is called again after the wait that it asked for', async () => {
  let answeredAt = 0
  upstreams.a.answer((received) => {
    upstreams.a.answer(fine)
    answeredAt = performance.now()
    failing(429, { 'retry-after': '1' })(received)
  })
  assert.equal(await ask('alone'), '200')
  assert.ok(performance.now() - answeredAt >= 999)
  upstreams.a.answer(failing(429, { 'retry-after': '30' }))
  const response = await post(gateway, secret, '/chat/completions', chatOf('alone'))
  assert.equal(response.headers.get('retry-after'), '30', 'the client gets a long wait')
  assert.equal(await outcomeOf(response), '503 upstream_rate_limited')
  assert.equal(upstreams.a.received.length, 3)
})

t.test('after the first byte, no call is retried', async () => {
  upstreams.a.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n', () => response.destroy())
  })
  const response = await post(gateway, secret, '/chat/completions', chatOf('both', { stream: true }))
  assert.match(await response.text(), /^data: {"choices.*\n\ndata: {"error":.*"upstream_error"}}\n\n$/)
  assert.deepEqual(calls(), [1, 0])
})

t.test('a stream is complete after [DONE], even if its connection breaks', async () => {
  upstreams.a.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[]}\n\ndata: [DONE]\n\n', () => setTimeout(() => response.destroy(), 20))
  })
  const response = await post(gateway, secret, '/chat/completions', chatOf('both', { stream: true }))
  assert.equal(await response.text(), 'data: {"choices":[]}\n\ndata: [DONE]\n\n')
})

t.test('while another upstream works, calls of a failing one stop; without another, they go on', async () => {
  upstreams.a.answer(failing(500))
  const { breaker } = gateway.upstreams.get('a')!
  // The successes of other tests count in the same window.
  for (let failure = 0; failure < 2000; failure++) breaker.failed(false, performance.now())
  assert.equal(breaker.state, 'open')
  // A probe begins ten seconds from now. On a busy machine, the rest takes longer than the first pause.
  const later = performance.now() + 10_000
  breaker.failed(breaker.begin(later), later)
  const before = calls()[0]!
  for (let request = 0; request < 10; request++) assert.equal(await ask('both'), '200')
  assert.equal(calls()[0], before, 'no call during the pause')
  assert.equal(await ask('alone'), '502 upstream_error')
  upstreams.a.answer(fine)
  for (let request = 0; request < 10; request++) assert.equal(await ask('alone'), '200', 'the pause is not over')
  assert.equal(breaker.state, 'open')
  // The pause is over.
  breaker.follow('closed', 0)
  breaker.follow('open', performance.now() - 10_000)
  assert.equal(await ask('both'), '200')
  assert.equal(breaker.state, 'closed', 'the probe succeeded')
})

t.test('an outage is not amplified: most failed calls are not retried', async () => {
  const total = 60
  upstreams.a.answer(failing(409))
  await Promise.all(Array.from({ length: total }, () => ask('alone')))
  const { length } = upstreams.a.received
  assert.ok(length <= total + 20 + length / 5, `${length} calls for ${total} requests`)
})
