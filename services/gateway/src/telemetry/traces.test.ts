import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@tollgate/service/testing/otlp-receiver.ts'
import { openTracing } from '@tollgate/service/tracing/open-tracing.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import t from 'tap'
import { chatOf, outcomeOf, post, rawConnection } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientSpan = 'b7ad6b7169203331'

let collector: OtlpReceiver
let tracing: Tracing
let gateway: TestGateway
let secret: string
let ids: { key: string; account: string }
const upstreams: Record<'a' | 'b', FakeUpstream> = {} as never

t.before(async () => {
  collector = await startOtlpReceiver()
  const settings = {
    url: `${collector.url}/v1/traces`,
    sampler: 'parentbased_always_on',
    ratio: 1,
    delayMs: 10
  } as const
  tracing = (await openTracing(settings, { name: 'tests', version: '1', onDropped: () => {} }))!
  upstreams.a = await startFakeUpstream()
  upstreams.b = await startFakeUpstream()
  const file = (['a', 'b'] as const).map((name) => `${name}: { base_url: '${upstreams[name].url}/v1' }`)
  gateway = await startGateway('', {
    upstreamsFile: `upstreams: { ${file.join(', ')} }`,
    tracing,
    catalog: catalogOf({
      both: [
        { upstream: 'a', model: 'at-a' },
        { upstream: 'b', model: 'at-b', priority: 1 }
      ]
    })
  })
  const seeded = await gateway.seedKey()
  secret = seeded.secret
  ids = { key: seeded.id, account: seeded.account }
})
t.teardown(async () => {
  await gateway.close()
  await upstreams.a.close()
  await upstreams.b.close()
  await collector.close()
})
t.beforeEach(() => {
  for (const name of ['a', 'b'] as const) {
    upstreams[name].received.length = 0
    upstreams[name].answer(({ response, body }) => answerWith(response, name, body.includes('"stream":true')))
  }
})

const usage = { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } }

function answerWith(response: FakeUpstream['received'][number]['response'], name: string, isStream: boolean): void {
  const head = { id: 'x', created: 1, model: `${name}-2026` }
  if (!isStream) {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...head, choices: [{ index: 0, message: { content: 'secret words' } }], usage }))
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  for (const event of [
    { ...head, choices: [{ index: 0, delta: { content: 'secret words' } }] },
    { ...head, choices: [], usage }
  ]) {
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end('data: [DONE]\n\n')
}

const ask = (headers: Record<string, string> = {}, members: object = {}, model = 'both') =>
  post(gateway, secret, '/chat/completions', chatOf(model, members), {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, ...headers }
  })

/** The spans of a request, by their names. The request's own span comes as `request`. */
async function spansOf(requestId: string | null): Promise<Record<string, ReceivedSpan>> {
  const ofRequest = (spans: readonly ReceivedSpan[]) =>
    spans.find(({ attributes }) => attributes['tollgate.request.id'] === requestId)
  const spans = await collector.until((all) => {
    const own = ofRequest(all)
    const others = all.filter(({ parentSpanId }) => parentSpanId === own?.spanId)
    const isRefused = own !== undefined && own.attributes['tollgate.attempts'] === undefined
    return own !== undefined && (isRefused || others.some(({ name }) => name === 'settlement'))
  })
  const request = ofRequest(spans)!
  const children = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId)
  for (const { traceId } of children) assert.equal(traceId, request.traceId)
  return { request, ...Object.fromEntries(children.map((span) => [span.name, span])) }
}

t.test('a request has spans for its admission, its attempt and its settlement', async () => {
  const response = await ask()
  assert.equal(response.status, 200)
  const spans = await spansOf(response.headers.get('x-request-id'))
  assert.deepEqual(Object.keys(spans).toSorted(), ['admission', 'chat at-a', 'request', 'settlement'])
  const { request, admission, 'chat at-a': attempt, settlement } = spans as Required<typeof spans>
  assert.deepEqual(
    [request!.name, request!.kind, request!.status, request!.parentSpanId],
    ['chat both', 'SERVER', 'UNSET', '']
  )
  const { 'tollgate.request.id': id, 'tollgate.cost.nanodollars': cost, ...others } = request!.attributes
  assert.match(String(id), /^req_/)
  assert.equal(cost, 5550, '7 tokens, 4 cached tokens and 7 of output, at the prices of the catalog')
  assert.deepEqual(others, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'both',
    'gen_ai.request.stream': false,
    'gen_ai.response.model': 'a-2026',
    'gen_ai.provider.name': 'a',
    'gen_ai.usage.input_tokens': 11,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.output_tokens': 7,
    'gen_ai.usage.reasoning.output_tokens': 0,
    'http.request.method': 'POST',
    'http.route': '/v1/chat/completions',
    'http.response.status_code': 200,
    'tollgate.attempts': 1,
    'tollgate.client.gone': false,
    'tollgate.usage.estimated': false,
    'tollgate.account.id': ids.account,
    'tollgate.key.id': ids.key
  })
  assert.equal(request!.resource['service.name'], 'tests')
  assert.equal(admission!.kind, 'INTERNAL')
  assert.equal(settlement!.kind, 'INTERNAL')
  assert.deepEqual([attempt!.kind, attempt!.status], ['CLIENT', 'UNSET'])
  const { hostname, port } = new URL(upstreams.a.url)
  assert.equal(attempt!.attributes['server.address'], hostname)
  assert.equal(attempt!.attributes['server.port'], Number(port))
  assert.equal(attempt!.attributes['gen_ai.request.model'], 'at-a')
  assert.equal(attempt!.attributes['gen_ai.response.model'], 'a-2026')
  assert.equal(attempt!.attributes['gen_ai.usage.output_tokens'], 7)
  const order = [request!.startNanos, admission!.endNanos, attempt!.endNanos, settlement!.endNanos]
  assert.deepEqual(
    order.toSorted((one, other) => Number(one - other)),
    order
  )
})

t.test('the upstream gets the attempt as its parent, in the client’s trace', async () => {
  const response = await ask({ traceparent: `00-${traceId}-${clientSpan}-01`, tracestate: 'vendor=x,other=y' })
  const { request, 'chat at-a': attempt } = await spansOf(response.headers.get('x-request-id'))
  assert.deepEqual([request!.traceId, request!.parentSpanId], [traceId, clientSpan])
  assert.equal(request!.traceState, 'vendor=x,other=y')
  const { headers } = upstreams.a.received[0]!.request
  assert.equal(headers.traceparent, `00-${traceId}-${attempt!.spanId}-01`)
  assert.equal(headers.tracestate, 'vendor=x,other=y')
})

t.test('failover shows two attempts, each with its own traceparent', async () => {
  upstreams.a.answer(({ response }) => response.writeHead(500).end())
  const response = await ask()
  assert.equal(response.status, 200)
  const { request, 'chat at-a': first, 'chat at-b': second } = await spansOf(response.headers.get('x-request-id'))
  assert.equal(request!.attributes['tollgate.attempts'], 2)
  assert.equal(request!.attributes['gen_ai.provider.name'], 'b')
  assert.equal(request!.status, 'UNSET')
  assert.deepEqual([first!.status, first!.attributes['error.type']], ['ERROR', 'upstream_error'])
  assert.equal(first!.attributes['http.response.status_code'], 500)
  assert.equal(first!.attributes['gen_ai.usage.output_tokens'], undefined)
  assert.deepEqual([second!.status, second!.attributes['error.type']], ['UNSET', undefined])
  for (const [name, span] of [
    ['a', first],
    ['b', second]
  ] as const) {
    const { traceparent } = upstreams[name].received[0]!.request.headers
    assert.equal(traceparent, `00-${request!.traceId}-${span!.spanId}-01`)
  }
})

t.test('a request that every upstream fails is an error with its code', async () => {
  for (const name of ['a', 'b'] as const) upstreams[name].answer(({ response }) => response.writeHead(500).end())
  const response = await ask({ 'x-stainless-retry-count': '1' })
  assert.equal(response.status, 502)
  const { request } = await spansOf(response.headers.get('x-request-id'))
  assert.deepEqual([request!.status, request!.attributes['error.type']], ['ERROR', 'upstream_error'])
})

t.test('a stream has the time to its first chunk, and its usage', async () => {
  const response = await ask({}, { stream: true })
  await response.text()
  const { request, 'chat at-a': attempt } = await spansOf(response.headers.get('x-request-id'))
  assert.equal(request!.attributes['gen_ai.request.stream'], true)
  for (const { attributes } of [request!, attempt!]) {
    assert.equal(attributes['gen_ai.usage.input_tokens'], 11)
    assert.equal(attributes['gen_ai.response.model'], 'a-2026')
    const seconds = attributes['gen_ai.response.time_to_first_chunk'] as number
    assert.ok(seconds > 0 && seconds < Number(attempt!.endNanos - attempt!.startNanos) / 1e9)
  }
})

t.test('a client that hangs up leaves a whole trace', async () => {
  const begun = Promise.withResolvers<void>()
  upstreams.a.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"model":"a-2026","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')
    begun.resolve()
  })
  const socket = rawConnection(gateway)
  const body = JSON.stringify(chatOf('both', { stream: true }))
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${secret}`]
  socket.write(`${[...head, 'content-type: application/json', `content-length: ${body.length}`].join('\r\n')}\r\n\r\n`)
  socket.write(body)
  const [chunk] = await once(socket, 'data')
  await begun.promise
  socket.destroy()
  const [, id] = /x-request-id: (\S+)/.exec(String(chunk))!
  const { request, 'chat at-a': attempt } = await spansOf(id!)
  assert.equal(request!.attributes['tollgate.client.gone'], true)
  assert.deepEqual([request!.status, attempt!.status], ['UNSET', 'UNSET'])
})

t.test('a refusal is traced, with no name that the client invented', async () => {
  const unknown = await ask({}, {}, 'invented')
  assert.equal(await outcomeOf(unknown), '403 model_not_allowed')
  const refused = await spansOf(unknown.headers.get('x-request-id'))
  assert.equal(refused.request!.name, 'chat')
  assert.equal(refused.request!.status, 'UNSET', 'because the server did not fail')
  assert.equal(refused.request!.attributes['error.type'], 'model_not_allowed')
  assert.deepEqual(
    [refused.admission!.status, refused.admission!.attributes['error.type']],
    ['ERROR', 'model_not_allowed']
  )
  const stranger = await post(gateway, null, '/chat/completions', chatOf('both'))
  const { request } = await spansOf(stranger.headers.get('x-request-id'))
  assert.equal(request!.attributes['error.type'], 'missing_api_key')
  assert.equal(request!.attributes['tollgate.key.id'], undefined)
})

t.test('an invalid traceparent is ignored', async () => {
  for (const traceparent of [
    'nonsense',
    `00-${'0'.repeat(32)}-${clientSpan}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${clientSpan}-01`,
    `00-${traceId}-${clientSpan}-01, 00-${traceId}-${clientSpan}-01`,
    `00-${traceId}-${clientSpan}-01-more`
  ]) {
    const response = await ask({ traceparent, tracestate: 'vendor=x' })
    assert.equal(response.status, 200)
    const { request } = await spansOf(response.headers.get('x-request-id'))
    assert.notEqual(request!.traceId, traceId, traceparent)
    assert.equal(request!.parentSpanId, '')
    assert.equal(upstreams.a.received.at(-1)!.request.headers.tracestate, undefined)
  }
})

t.test('a trace that the client does not sample is passed on, and not sent to the collector', async () => {
  const response = await ask({ traceparent: `00-${traceId.replace('0a', 'ff')}-${clientSpan}-00` })
  assert.equal(response.status, 200)
  assert.match(upstreams.a.received[0]!.request.headers.traceparent as string, /^00-fff7651916.*-00$/)
  const later = await ask()
  await spansOf(later.headers.get('x-request-id'))
  assert.equal(
    collector.spans.some(({ traceId }) => traceId.startsWith('fff7651916')),
    false
  )
})

t.test('no span contains content or a secret', async () => {
  await gateway.settled()
  const all = JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  assert.ok(collector.spans.length > 20)
  for (const text of ['secret words', 'Hello', secret, 'invented', 'Bearer'])
    assert.equal(all.includes(text), false, text)
})
