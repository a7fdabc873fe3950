import assert from 'node:assert/strict'
import { once } from 'node:events'
import { AggregatorRegistry } from 'prom-client'
import t from 'tap'
import { chatOf, post, rawConnection } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { readMetrics, sumOf } from '../testing/read-metrics.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

let first: FakeUpstream
let second: FakeUpstream
let gateway: TestGateway
let key: SeededKey

t.beforeEach(async () => {
  first = await startFakeUpstream()
  second = await startFakeUpstream()
  gateway = await startGateway('', {
    upstreamsFile: `upstreams: { first: { base_url: '${first.url}' }, second: { base_url: '${second.url}' } }`,
    catalog: catalogOf({ both: [{ upstream: 'first' }, { upstream: 'second', priority: 1 }] })
  })
  key = await gateway.seedKey()
})
t.afterEach(async () => {
  await gateway.close()
  await first.close()
  await second.close()
})

const chat = (members: object = {}, options: RequestInit = {}) =>
  post(gateway, key.secret, '/chat/completions', chatOf('both', members), options)

async function value(name: string, labels: Record<string, string> = {}): Promise<number> {
  return sumOf(await gateway.metrics(), name, labels)
}

const attempts = (upstream: string, outcome: string) => value('tollgate_upstream_attempts_total', { upstream, outcome })

t.test(
  'each call of an upstream has one outcome, and a failed call that is followed by another counts as retried',
  async () => {
    first.answer(({ response }) => response.writeHead(500).end())
    assert.equal((await chat()).status, 200)
    assert.deepEqual([await attempts('first', 'failure'), await attempts('second', 'success')], [1, 1])
    assert.equal(await value('tollgate_upstream_retries_total', { upstream: 'first' }), 1)

    const refuse = JSON.stringify({ error: { message: 'Too long.', code: 'a_code_of_the_provider' } })
    first.answer(({ response }) => response.writeHead(400, { 'content-type': 'application/json' }).end(refuse))
    assert.equal((await chat()).status, 400)
    assert.equal(await attempts('first', 'refused'), 1)
    assert.equal(
      await value('tollgate_requests_total', { status: '400', code: 'other', model: 'both', plan: 'free' }),
      1
    )

    first.answer(({ response }) => response.writeHead(500).end())
    second.answer(({ response }) => response.writeHead(500).end())
    assert.ok((await chat()).status >= 500)
    const failures = (await attempts('first', 'failure')) + (await attempts('second', 'failure'))
    const calls = [first, second].flatMap(({ received }) => received.filter(({ request }) => request.method === 'POST'))
    assert.equal(failures, calls.length - 2, 'one success and one refusal')
    assert.equal(await value('tollgate_upstream_attempts_total'), calls.length)
    assert.equal(
      await value('tollgate_upstream_retries_total'),
      calls.length - 3,
      'three requests began with the others'
    )
  }
)

t.test('a stream is open until its end, and its first token and its tokens are timed', async () => {
  let end: () => void = () => {}
  const arrived = new Promise<void>((resolve) => {
    first.answer(({ response }) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write('data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\n')
      end = () =>
        response.end('data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5}}\n\ndata: [DONE]\n\n')
      resolve()
    })
  })
  const response = await chat({ stream: true })
  await arrived
  const gauges = ['tollgate_open_streams', 'tollgate_requests_in_flight', 'tollgate_holds']
  for (const gauge of gauges) assert.equal(await value(gauge), 1, gauge)
  end()
  await response.text()
  await gateway.settled()
  for (const gauge of gauges) assert.equal(await value(gauge), 0, gauge)
  const labels = { gen_ai_operation_name: 'chat', gen_ai_provider_name: 'first', gen_ai_request_model: 'both' }
  for (const metric of ['time_to_first_token', 'time_per_output_token', 'request_duration']) {
    assert.equal(await value(`gen_ai_server_${metric}_seconds_count`, labels), 1, metric)
  }
  const whole = await value('gen_ai_server_request_duration_seconds_sum')
  const parts =
    (await value('gen_ai_server_time_to_first_token_seconds_sum')) +
    4 * (await value('gen_ai_server_time_per_output_token_seconds_sum'))
  assert.ok(Math.abs(whole - parts) < 1e-9, 'the first token and the four others take the whole time')
  assert.equal(await value('tollgate_upstream_first_byte_seconds_count', { upstream: 'first' }), 1)
})

t.test('a client that leaves before the answer counts with status 499, and its call as abandoned', async () => {
  const leaving = new AbortController()
  first.answer(() => leaving.abort())
  await assert.rejects(chat({ stream: true }, { signal: leaving.signal }))
  const name = 'tollgate_requests_total'
  const answered = async () => sumOf(await gateway.registry.getSingleMetricAsString(name), name, { status: '499' })
  while ((await answered()) < 1) await new Promise(setImmediate)
  assert.equal(await attempts('first', 'abandoned'), 1)
  assert.equal(await value('tollgate_refusals_total'), 0, 'it was not refused')
})

t.test('refusals are counted by reason: without a model, with one, and without HTTP', async () => {
  await post(gateway, 'tg_invented', '/chat/completions', chatOf('both'))
  await post(gateway, key.secret, '/chat/completions', chatOf('unknown'))
  await post(gateway, key.secret, '/chat/completions', '{')
  const socket = rawConnection(gateway)
  socket.end('nonsense\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
  const samples = readMetrics(await gateway.metrics())
    .filter(({ name }) => name === 'tollgate_requests_total')
    .map(({ labels: { endpoint, model, plan, status, code }, value }) => [endpoint, model, plan, status, code, value])
  const endpoint = '/v1/chat/completions'
  assert.deepEqual(samples.toSorted(), [
    [endpoint, '', '', '401', 'invalid_api_key', 1],
    [endpoint, '', 'free', '400', 'invalid_json', 1],
    [endpoint, 'other', 'free', '403', 'model_not_allowed', 1],
    ['other', '', '', '400', 'invalid_request', 1]
  ])
  for (const reason of ['invalid_api_key', 'invalid_json', 'model_not_allowed', 'invalid_request']) {
    assert.equal(await value('tollgate_refusals_total', { reason }), 1, reason)
  }
})

t.test('a remembered key is a hit, and every look-up in Redis a miss', async () => {
  await chat()
  await chat()
  await post(gateway, 'tg_invented', '/chat/completions', chatOf('both'))
  const lookups = (result: string) => value('tollgate_key_cache_lookups_total', { result })
  assert.deepEqual([await lookups('hit'), await lookups('miss'), await value('tollgate_key_cache_keys')], [1, 1, 1])
})

t.test('round trips of Redis are timed; without Redis, errors are counted and it is shown as down', async () => {
  await chat()
  await gateway.settled()
  const trips = await value('tollgate_redis_round_trip_seconds_count')
  assert.ok(trips >= 2, 'an admission and a settlement')
  assert.deepEqual([await value('tollgate_redis_up'), await value('tollgate_redis_errors_total')], [1, 0])
  await gateway.redis.stop()
  assert.equal((await chat()).status, 503)
  assert.ok((await value('tollgate_redis_errors_total')) > 0)
  assert.deepEqual([await value('tollgate_redis_up'), await value('tollgate_catalog_loaded')], [0, 1])
})

t.test('the state of breakers and of credentials is shown for each upstream in force', async () => {
  first.answer(({ response }) => response.writeHead(401).end())
  await chat()
  const upstream = 'first'
  assert.equal(await value('tollgate_upstream_problem', { upstream }), 1)
  const { breaker } = gateway.upstreams.get('first')!
  for (let call = 0; call < 10; call++) breaker.failed(breaker.begin(performance.now()), performance.now())
  assert.equal(await value('tollgate_upstream_breaker_state', { upstream }), 2)
  gateway.writeUpstreams(`upstreams: { second: { base_url: '${second.url}' } }`)
  await gateway.reloadUpstreams()
  const text = await gateway.metrics()
  for (const name of ['tollgate_upstream_problem', 'tollgate_upstream_breaker_state']) {
    assert.deepEqual(
      readMetrics(text).filter((sample) => sample.name === name),
      [{ name, labels: { upstream: 'second' }, value: 0 }]
    )
  }
})

t.test('counters of several processes add up, and states do not', async () => {
  await chat()
  await gateway.settled()
  const one = JSON.parse(JSON.stringify(await gateway.registry.getMetricsAsJSON()))
  const text = await AggregatorRegistry.aggregate([one, one]).metrics()
  assert.equal(sumOf(text, 'tollgate_requests_total', { status: '200' }), 2)
  assert.equal(sumOf(text, 'gen_ai_server_request_duration_seconds_bucket', { le: '+Inf' }), 2)
  for (const name of ['tollgate_redis_up', 'tollgate_catalog_loaded', 'tollgate_build_info']) {
    assert.equal(sumOf(text, name), 1, name)
  }
})
