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

type Answer = (received: Received) => void

let gateway: TestGateway
let secret: string
const upstreams: Record<'a' | 'b', FakeUpstream> = {} as never
t.before(async () => {
  upstreams.a = await startFakeUpstream()
  upstreams.b = await startFakeUpstream()
  const file = ['a', 'b'].map(
    (name) => `${name}: { base_url: '${upstreams[name as 'a' | 'b'].url}/v1', timeouts_ms: { first_byte: 2000 } }`
  )
  // A port of ours that nobody listens on any more.
  const gone = await startFakeUpstream()
  await gone.close()
  gateway = await startGateway('', {
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
  for (const { restingUntil } of gateway.upstreams.values()) restingUntil.clear()
  // Each test has upstreams that nothing has failed at; the state of breakers has tests of its own.
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

t.test('what may be better elsewhere is asked of the next upstream, under its own name of the model', async (t) => {
  for (const status of [408, 409, 425, 429, 500, 502, 503, 504, 529]) {
    upstreams.a.answer(failing(status))
    t.equal(await ask('both'), '200', String(status))
    t.equal(JSON.parse(upstreams.b.received.at(-1)!.body).model, 'at-b')
    t.equal(JSON.parse(upstreams.a.received.at(-1)!.body).model, 'at-a')
    t.equal(
      upstreams.a.received.at(-1)!.request.headers['x-request-id'],
      upstreams.b.received.at(-1)!.request.headers['x-request-id']
    )
  }
  upstreams.a.answer(({ response }) => void response.destroy())
  t.equal(await ask('both', { stream: true }), '200', 'a connection that breaks')
  t.equal(await ask('unreachable'), '200', 'one that is not made')
})

t.test('what is about the request, or would take as long again, is not repeated', async (t) => {
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
    t.equal(await ask('both'), expected)
  }
  t.equal(calls()[1], 0)
})

t.test('what only its operator can mend is asked of the next upstream, and never twice of the same', async (t) => {
  const { restingUntil } = gateway.upstreams.get('a')!
  for (const status of [301, 401, 402, 403, 405, 412]) {
    restingUntil.clear()
    upstreams.a.answer(failing(status))
    t.equal(await ask('both'), '200', String(status))
    t.same(calls(), [1, 1], String(status))
    for (const upstream of Object.values(upstreams)) upstream.received.length = 0
  }
  upstreams.a.answer(failing(401))
  upstreams.b.answer(failing(500))
  t.equal(await ask('both'), '502 upstream_error')
  t.same(calls(), [1, 2], 'the other is asked again')
  upstreams.b.answer(fine)
  t.equal(await ask('both'), '200')
  t.same(calls(), [1, 3], 'and for a while first')
})

t.test('of several failures the client is told of one that may pass', async (t) => {
  upstreams.a.answer(failing(429, { 'retry-after': '30' }))
  upstreams.b.answer(failing(401))
  const response = await post(gateway, secret, '/chat/completions', chatOf('both'))
  t.match(Object.fromEntries(response.headers), {
    'retry-after': '30',
    'retry-after-ms': '30000',
    'x-should-retry': 'true'
  })
  t.equal(await outcomeOf(response), '503 upstream_rate_limited')
})

t.test('an upstream that asks for a long rest does not keep another from being asked again', async (t) => {
  gateway.upstreams.get('a')!.restingUntil.set('at-a', performance.now() + 60_000)
  upstreams.b.answer((received) => {
    upstreams.b.answer(fine)
    failing(500)(received)
  })
  t.equal(await ask('both'), '200')
  t.same(calls(), [0, 2])
})

t.test(
  'a refusal that breaks off is told by its status, and one that is no answer is never mixed with the next',
  async (t) => {
    for (const status of [400, 404, 413, 422]) {
      upstreams.a.answer(({ response }) => {
        response.writeHead(status, { 'content-length': '100' }).write('{"error":', () => response.destroy())
      })
      t.equal(await ask('both'), `${status} invalid_request`)
    }
    const onlyHead = (headers: Record<string, string>) =>
      upstreams.a.answer(({ response }) => {
        response.writeHead(200, headers)
        response.flushHeaders()
        setImmediate(() => response.destroy())
      })
    onlyHead({})
    t.equal(await ask('both'), '200', 'an answer of which nothing came but its head')
    onlyHead({ 'content-length': '100' })
    t.equal(await ask('both'), '502 upstream_error', 'one whose length was said has been made, and is billed')
  }
)

t.test('one request that no upstream can serve does not close an upstream to others', async (t) => {
  upstreams.a.answer(failing(500))
  const { breaker } = gateway.upstreams.get('a')!
  for (let request = 0; request < 4; request++) await ask('alone')
  t.equal(breaker.waitMs(performance.now()), 0, 'twelve failures, but of four requests')
})

t.test('after three failures the client is told of the last one', async (t) => {
  upstreams.a.answer(failing(500))
  upstreams.b.answer(failing(429, { 'retry-after': '1' }))
  t.match(await ask('both'), /^50[23] upstream_(error|rate_limited)$/)
  t.equal(upstreams.a.received.length + upstreams.b.received.length, 3)
  t.equal(await ask('broken'), '502 upstream_unreachable')
  t.equal(await ask('nowhere'), '500 internal_error')
})

t.test('an upstream that is alone is asked again, and not before it said', async (t) => {
  let answeredAt = 0
  upstreams.a.answer((received) => {
    upstreams.a.answer(fine)
    answeredAt = performance.now()
    failing(429, { 'retry-after': '1' })(received)
  })
  t.equal(await ask('alone'), '200')
  t.ok(performance.now() - answeredAt >= 999)
  upstreams.a.answer(failing(429, { 'retry-after': '30' }))
  const response = await post(gateway, secret, '/chat/completions', chatOf('alone'))
  t.equal(response.headers.get('retry-after'), '30', 'a long rest is passed on to the client')
  t.equal(await outcomeOf(response), '503 upstream_rate_limited')
  t.equal(upstreams.a.received.length, 3)
})

t.test('after the first byte nothing is repeated', async (t) => {
  upstreams.a.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n', () => response.destroy())
  })
  const response = await post(gateway, secret, '/chat/completions', chatOf('both', { stream: true }))
  t.match(await response.text(), /^data: {"choices.*\n\ndata: {"error":.*"upstream_error"}}\n\n$/)
  t.same(calls(), [1, 0])
})

t.test('a stream that has said that it is done is done, whatever becomes of its connection', async (t) => {
  upstreams.a.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[]}\n\ndata: [DONE]\n\n', () => setTimeout(() => response.destroy(), 20))
  })
  const response = await post(gateway, secret, '/chat/completions', chatOf('both', { stream: true }))
  t.equal(await response.text(), 'data: {"choices":[]}\n\ndata: [DONE]\n\n')
})

t.test('an upstream that keeps failing is left alone, and tried again by one request', async (t) => {
  upstreams.a.answer(failing(500))
  const { breaker } = gateway.upstreams.get('a')!
  // The outcomes that other tests left are as old as those of a window.
  while (breaker.waitMs(performance.now()) === 0) await ask('both')
  // As if a probe failed in ten seconds: what follows takes a busy machine longer than the first pause.
  const later = performance.now() + 10_000
  breaker.failed(breaker.begin(later), later)
  const before = calls()[0]!
  for (let request = 0; request < 10; request++) t.equal(await ask('both'), '200')
  t.equal(calls()[0], before, 'no call while it is left alone')
  const response = await post(gateway, secret, '/chat/completions', chatOf('alone'))
  t.ok(Number(response.headers.get('retry-after')) >= 1)
  t.equal(await outcomeOf(response), '502 upstream_unreachable', 'where there is no other, the client is told at once')
  upstreams.a.answer(fine)
  // As if a probe had begun long ago: another may.
  breaker.begin(performance.now() - 10_000)
  t.equal(await ask('alone'), '200', 'the probe')
  t.equal(breaker.waitMs(performance.now()), 0)
})

t.test('an outage is not amplified: most failures are not followed by a second call', async (t) => {
  const total = 150
  upstreams.a.answer(failing(409))
  await Promise.all(Array.from({ length: total }, () => ask('alone')))
  const { length } = upstreams.a.received
  t.ok(length <= total + 20 + length / 5, `${length} calls for ${total} requests`)
})
