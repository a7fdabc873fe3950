import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { accountShard, claimName } from '@tollgate/state/keyspace/names.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { readMetrics } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { claimDigest } from './repeatable-request.ts'

const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const { inputPicos, outputPicos } = testCatalog.models.small!.prices
const cost = (10 * inputPicos + 20 * outputPicos) / 1000

let latest: Socket | null = null
let [upstream, gateway, second] = [] as unknown as [FakeUpstream, TestGateway, TestGateway]
t.before(async () => {
  upstream = await startFakeUpstream()
  const upstreamsFile = `upstreams: { test: { base_url: '${upstream.url}/v1', credential_variable: TEST_CREDENTIAL, speaks: [chat, completions, embeddings, responses, messages] } }`
  const options = { upstreamsFile, idempotencyMemoryMb: 256 }
  gateway = await startGateway(upstream.url, options)
  gateway.server.prependListener('request', ({ socket }: IncomingMessage) => {
    latest = socket
  })
  second = await startGateway(upstream.url, { ...options, beside: gateway })
})
t.beforeEach(async () => {
  upstream.answer(answerChat())
  for (const { breaker } of gateway.upstreams.values()) breaker.succeeded(false, performance.now())
})
t.teardown(async () => {
  await second.close()
  await gateway.close()
  await upstream.close()
})

/** Distinguishes answers. */
let answers = 0
function answerChat(members: object = {}): (received: Received) => void {
  return ({ response, body }) => {
    const text = `ü ${++answers}`
    if (body.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(streamOf(text, body.includes('"include_usage":true')))
    } else
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ choices: [{ index: 0, message: { content: text }, ...members }], usage }))
  }
}
const streamOf = (text: string, showsUsage: boolean): string =>
  `: comment\r\n\r\ndata: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n` +
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
  (showsUsage ? `data: ${JSON.stringify({ choices: [], usage })}\n\n` : '') +
  'data: [DONE]\n\n'

let keys = 0
const newKey = () => `key-${++keys}`
interface Asking {
  key?: string
  at?: TestGateway
  path?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}
function ask(
  { secret }: Pick<SeededKey, 'secret'>,
  { key, at = gateway, path = '/chat/completions', body = chatOf('small'), headers = {}, signal }: Asking
): Promise<Response> {
  return post(at, secret, path, body, {
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers
    },
    ...(signal !== undefined && { signal })
  })
}
const calls = () => callsOf(upstream.received).length
const isReplay = ({ headers }: Response) => headers.get('idempotency-replayed') === 'true'

/** What the account was charged, with its number of requests. */
async function charged({ account }: SeededKey): Promise<{ nanos: number; requests: number; holds: number }> {
  await gateway.settled()
  await second.settled()
  const { account: sums, usage: rows, holds } = await readState(gateway.control.client, account)
  const requests = [...rows.values()].reduce((sum, row) => sum + row.requests, 0)
  return { nanos: sums?.settled ?? 0, requests, holds: holds.size }
}
/** Sums the series of a counter that have a label. */
async function countOf(name: string, label: Record<string, string>, at = gateway): Promise<number> {
  const [[key, value]] = Object.entries(label) as [[string, string]]
  const text = await at.registry.getSingleMetricAsString(name)
  const samples = readMetrics(text).filter((one) => one.labels[key] === value)
  return samples.reduce((sum, one) => sum + one.value, 0)
}
const waitedAt = (at = gateway) => countOf('tollgate_idempotent_requests_total', { outcome: 'waited' }, at)

/** Waits until Redis has the state of a key. */
async function untilState({ account, id }: SeededKey, key: string, state: 'r' | 'k' | 'l' | ''): Promise<void> {
  const name = claimName(account, claimDigest(id, key))
  while ((await gateway.control.client.getrange(name, 0, 0)) !== state) await new Promise(setImmediate)
}

t.test('a repeated request gets the same answer from any gateway, and is not charged', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const before = calls()
  const first = await ask(seeded, { key })
  const text = await first.text()
  assert.equal(isReplay(first), false)
  await untilState(seeded, key, 'k')
  for (const at of [gateway, second]) {
    const replay = await ask(seeded, { key, at })
    assert.equal(await replay.text(), text)
    assert.equal(replay.status, 200)
    const { headers } = replay
    assert.deepEqual(
      [
        'idempotency-replayed',
        'x-tollgate-original-request-id',
        'x-tollgate-granted-output-tokens',
        'content-type'
      ].map((name) => headers.get(name)),
      [
        'true',
        first.headers.get('x-request-id'),
        first.headers.get('x-tollgate-granted-output-tokens'),
        first.headers.get('content-type')
      ]
    )
    assert.notEqual(headers.get('x-request-id'), first.headers.get('x-request-id'))
  }
  assert.equal(calls() - before, 1)
  assert.deepEqual(await charged(seeded), { nanos: cost, requests: 1, holds: 0 })
})

t.test('each metered endpoint replays its answers; a stream comes back byte for byte', async () => {
  const seeded = await gateway.seedKey()
  const message = { type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3, output_tokens: 4 } }
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] }
  const responsesUsage = { input_tokens: 3, output_tokens: 4 }
  const json = (body: object) => (received: Received) =>
    received.response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  const events = (list: ReadonlyArray<{ type: string }>) => (received: Received) =>
    received.response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(list.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''))
  const anthropic = { 'anthropic-version': '2023-06-01' }
  const messagesOf = { model: 'small', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }
  const cases: Array<[string, object, (received: Received) => void, Record<string, string>?]> = [
    ['/chat/completions', chatOf('small'), answerChat()],
    ['/chat/completions', chatOf('small', { stream: true }), answerChat()],
    ['/chat/completions', chatOf('small', { stream: true, stream_options: { include_usage: true } }), answerChat()],
    ['/completions', { model: 'writer', prompt: 'x' }, json({ choices: [{ index: 0, text: 'y' }], usage })],
    [
      '/embeddings',
      { model: 'embedder', input: 'x' },
      json({ data: [{ embedding: [1] }], usage: { prompt_tokens: 2 } })
    ],
    ['/responses', { model: 'small', input: 'x' }, json({ ...response, usage: responsesUsage })],
    [
      '/responses',
      { model: 'small', input: 'x', stream: true },
      events([{ type: 'response.completed', response: { ...response, usage: responsesUsage } } as { type: string }])
    ],
    ['/messages', messagesOf, json(message), anthropic],
    [
      '/messages',
      { ...messagesOf, stream: true },
      events([
        { type: 'message_start', message } as { type: string },
        { type: 'message_delta', usage: { output_tokens: 9 }, delta: { stop_reason: 'end_turn' } } as { type: string },
        { type: 'message_stop' }
      ]),
      anthropic
    ]
  ]
  for (const [path, body, answer, headers = {}] of cases) {
    const key = newKey()
    upstream.answer(answer)
    const before = calls()
    const first = await ask(seeded, { key, path, body, headers })
    const bytes = Buffer.from(await first.arrayBuffer())
    assert.equal(first.status, 200, `${path} ${bytes}`)
    await untilState(seeded, key, 'k')
    const replay = await ask(seeded, { key, path, body, headers, at: second })
    assert.deepEqual(Buffer.from(await replay.arrayBuffer()), bytes, path)
    assert.equal(replay.headers.get('content-type'), first.headers.get('content-type'))
    assert.equal(isReplay(replay), true)
    assert.equal(calls() - before, 1)
  }
})

t.test('fifty equal requests at once make one call and one charge, over two gateways', async () => {
  for (const stream of [false, true]) {
    const seeded = await gateway.seedKey()
    const key = newKey()
    const body = chatOf('small', { stream })
    const before = calls()
    const { promise: called, resolve } = Promise.withResolvers<Received>()
    upstream.answer(resolve)
    const all = Array.from({ length: 50 }, (_, n) => ask(seeded, { key, body, at: n % 2 === 0 ? gateway : second }))
    const received = await called
    while ((await waitedAt()) + (await waitedAt(second)) < (stream ? 98 : 49)) await new Promise(setImmediate)
    answerChat()(received)
    const results = await Promise.all(all)
    const texts = new Set(await Promise.all(results.map((one) => one.text())))
    assert.equal(texts.size, 1)
    assert.equal(results.filter(isReplay).length, 49)
    assert.equal(calls() - before, 1)
    const { requests, holds } = await charged(seeded)
    assert.deepEqual({ requests, holds }, { requests: 1, holds: 0 })
  }
})

t.test('another body, endpoint or version with the same key is a conflict', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  assert.equal(await outcomeOf(await ask(seeded, { key })), '200')
  const before = calls()
  const reused = '409 idempotency_key_reused'
  for (const asking of [
    { body: chatOf('small', { temperature: 1 }) },
    { body: ` ${JSON.stringify(chatOf('small'))}` },
    { path: '/responses', body: { model: 'small', input: 'x' } }
  ]) {
    const answer = await ask(seeded, { key, ...asking })
    assert.equal(answer.headers.get('x-should-retry'), 'false')
    assert.equal(await outcomeOf(answer), reused)
  }
  const asked = {
    path: '/messages',
    body: { model: 'small', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
    key
  }
  const answer = await ask(seeded, { ...asked, headers: { 'anthropic-version': '2023-06-01' } })
  assert.equal(answer.status, 409)
  const refusal = (await answer.json()) as { error: { type: string; details: { error_code: string } } }
  assert.deepEqual(
    [refusal.error.type, refusal.error.details.error_code],
    ['invalid_request_error', 'idempotency_key_reused']
  )
  assert.equal(calls(), before)
})

t.test('a running request with another body is a conflict at once', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(seeded, { key })
  const received = await called
  const other = await ask(seeded, { key, body: chatOf('small', { n: 2 }) })
  assert.equal(await outcomeOf(other), '409 idempotency_key_reused')
  answerChat()(received)
  assert.equal(await outcomeOf(await running), '200')
})

t.test('headers that reach the provider belong to the request', async () => {
  const seeded = await gateway.seedKey()
  const message = { type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3, output_tokens: 4 } }
  upstream.answer(({ response }) => response.setHeader('content-type', 'application/json').end(JSON.stringify(message)))
  const key = newKey()
  const asked = {
    key,
    path: '/messages',
    body: { model: 'small', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }
  }
  const version = { 'anthropic-version': '2023-06-01' }
  assert.equal((await ask(seeded, { ...asked, headers: version })).status, 200)
  const beta = { ...version, 'anthropic-beta': 'prompt-caching-2024-07-31' }
  assert.equal((await ask(seeded, { ...asked, headers: beta })).status, 409)
  assert.equal((await ask(seeded, { ...asked, headers: { ...version, 'x-stainless-retry-count': '1' } })).status, 200)
})

t.test('an empty or too long key is refused', async () => {
  const seeded = await gateway.seedKey()
  assert.equal(await outcomeOf(await ask(seeded, { key: 'x'.repeat(256) })), '400 invalid_request')
  assert.equal(await outcomeOf(await ask(seeded, { key: '' })), '400 invalid_request')
  assert.equal(await outcomeOf(await ask(seeded, { key: 'x'.repeat(255) })), '200')
})

t.test('an answer belongs to the API key that asked, and to nobody else', async () => {
  const ada = await gateway.seedKey()
  const key = newKey()
  const text = await (await ask(ada, { key })).text()
  await untilState(ada, key, 'k')
  for (const other of [await gateway.seedKey(), await gateway.seedKey({ beside: ada })]) {
    const answer = await ask(other, { key })
    assert.equal(isReplay(answer), false)
    assert.notEqual(await answer.text(), text)
    assert.equal(await outcomeOf(await ask(other, { key: newKey(), body: chatOf('small', { n: 2 }) })), '200')
  }
  assert.equal(await (await ask(ada, { key })).text(), text)
})

t.test(
  'after a rotation, only the secret that asked gets its answer; a repeat with the other one does not run',
  async () => {
    const seeded = await gateway.seedKey()
    const key = newKey()
    const text = await (await ask(seeded, { key })).text()
    await untilState(seeded, key, 'k')
    const rotated = await gateway.rotateKey(seeded)
    const before = calls()
    assert.equal(await outcomeOf(await ask(rotated, { key })), '409 idempotency_answer_lost')
    assert.equal(await (await ask(seeded, { key })).text(), text)
    assert.equal(calls(), before)
  }
)

t.test('Redis has neither the words of an answer nor those of its request', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const body = chatOf('small', { messages: [{ role: 'user', content: 'the words of a request' }] })
  const answer = await ask(seeded, { key, body })
  const { choices } = (await answer.json()) as { choices: [{ message: { content: string } }] }
  await untilState(seeded, key, 'k')
  const { client } = gateway.control
  const name = claimName(seeded.account, claimDigest(seeded.id, key))
  const bytes = (await client.getBuffer(name))!
  assert.ok(bytes.length > choices[0].message.content.length)
  for (const words of [choices[0].message.content, 'choices', 'application/json', 'the words of a request', key])
    assert.equal(bytes.includes(words), false, words)
  // Whoever changes it in Redis cannot make the gateway send it.
  await client.setrange(name, bytes.length - 1, bytes.at(-1) === 0x78 ? 'y' : 'x')
  assert.equal(await outcomeOf(await ask(seeded, { key, body })), '409 idempotency_answer_lost')
})

t.test('a repeat needs a key that may call the model now', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  await (await ask(seeded, { key })).text()
  await untilState(seeded, key, 'k')
  await gateway.changeKey(seeded, { models: ['renamed'] })
  for (const asking of [{ key }, { key, body: chatOf('small', { n: 2 }) }])
    assert.equal(await outcomeOf(await ask(seeded, asking)), '403 model_not_allowed')
  await gateway.changeKey(seeded, { models: null, expiresAt: Date.now() - 1 })
  assert.equal(await outcomeOf(await ask(seeded, { key })), '401 expired_api_key')
  await gateway.changeKey(seeded, { expiresAt: null, status: 'revoked' })
  for (const at of [gateway, second])
    assert.equal(await outcomeOf(await ask(seeded, { key, at })), '401 revoked_api_key')
})

t.test('a request that waits gets nothing once its key is revoked', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(seeded, { key })
  const received = await called
  const before = await waitedAt(second)
  const waiting = ask(seeded, { key, at: second })
  while ((await waitedAt(second)) === before) await new Promise(setImmediate)
  await gateway.changeKey(seeded, { status: 'revoked' })
  answerChat()(received)
  await running
  assert.equal(await outcomeOf(await waiting), '401 revoked_api_key')
})

t.test('a suspended account gets no replay', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  await (await ask(seeded, { key })).text()
  await gateway.changeAccount(seeded, { status: 'suspended' })
  assert.equal(await outcomeOf(await ask(seeded, { key })), '403 account_suspended')
})

t.test('repeats are limited to the request rate of the key', async () => {
  const seeded = await gateway.seedKey({ key: { requestsPerMinute: 3 } })
  const key = newKey()
  await (await ask(seeded, { key })).text()
  await untilState(seeded, key, 'k')
  for (let n = 0; n < 3; n++) assert.equal(isReplay(await ask(seeded, { key })), true)
  assert.equal(await outcomeOf(await ask(seeded, { key })), '429 requests_per_minute')
})

t.test('a request that fails or is refused may be repeated, and runs again', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  upstream.answer(({ response }) => response.writeHead(400).end('{"error":{"message":"no"}}'))
  assert.match(await outcomeOf(await ask(seeded, { key })), /^400/)
  await untilState(seeded, key, '')
  // The body is cut.
  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n', () => response.destroy())
  })
  const streamKey = newKey()
  const body = chatOf('small', { stream: true })
  assert.match(await (await ask(seeded, { key: streamKey, body })).text(), /upstream_error/)
  await untilState(seeded, streamKey, '')
  await gateway.changeKey(seeded, { monthlyBudgetNanos: 1 })
  assert.equal(await outcomeOf(await ask(seeded, { key })), '402 key_budget_exceeded')
  await untilState(seeded, key, '')
  await gateway.changeKey(seeded, { monthlyBudgetNanos: null })
  upstream.answer(answerChat())
  for (const asking of [{ key }, { key: streamKey, body }]) {
    const answer = await ask(seeded, asking)
    assert.equal(isReplay(answer), false)
    assert.equal(await outcomeOf(answer), '200')
  }
})

t.test('one of the waiting requests runs when the first one has failed', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const received: Received[] = []
  const { promise: called, resolve } = Promise.withResolvers<void>()
  upstream.answer((one) => {
    received.push(one)
    resolve()
  })
  const before = await waitedAt()
  const all = [ask(seeded, { key })]
  await called
  for (let n = 0; n < 3; n++) all.push(ask(seeded, { key }))
  while ((await waitedAt()) < before + 3) await new Promise(setImmediate)
  const callsBefore = calls()
  upstream.answer(answerChat())
  received[0]!.response.writeHead(422).end('{"error":{"message":"no"}}')
  const results = await Promise.all(all)
  assert.deepEqual(results.map(({ status }) => status).sort(), [200, 200, 200, 422])
  assert.equal(results.filter(isReplay).length, 2)
  assert.equal(calls() - callsBefore, 1)
})

t.test('the answer of a client that hung up is read to its end, kept and charged once', async () => {
  for (const stream of [false, true]) {
    const seeded = await gateway.seedKey()
    const key = newKey()
    const body = chatOf('small', { stream })
    const { promise: called, resolve } = Promise.withResolvers<Received>()
    upstream.answer(resolve)
    const leaving = new AbortController()
    const left = ask(seeded, { key, body, signal: leaving.signal }).catch(() => null)
    const { response } = await called
    const whole = stream ? streamOf('late', true) : JSON.stringify({ choices: [{ index: 0, message: {} }], usage })
    const type = stream ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type, ...(!stream && { 'content-length': String(whole.length) }) })
    response.write(whole.slice(0, 20))
    const closed = once(latest!, 'close')
    leaving.abort()
    await Promise.all([left, closed])
    response.end(whole.slice(20))
    await untilState(seeded, key, 'k')
    const replay = await ask(seeded, { key, body })
    assert.equal(isReplay(replay), true)
    const expected = stream ? streamOf('late', false) : whole
    assert.equal(await replay.text(), expected)
    assert.deepEqual(await charged(seeded), { nanos: cost, requests: 1, holds: 0 })
  }
})
t.test('a stream without the header still ends when its client hangs up', async () => {
  const seeded = await gateway.seedKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const leaving = new AbortController()
  const answer = ask(seeded, { body: chatOf('small', { stream: true }), signal: leaving.signal })
  const { response } = await called
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n')
  await answer
  leaving.abort()
  await once(response, 'close')
})

t.test('a gateway that reads too many abandoned streams ends further ones, and a repeat runs', async () => {
  const busy = await startGateway(upstream.url, {
    beside: gateway,
    idempotencyMemoryMb: 256,
    protection: { maxAbandonedStreams: 0 }
  })
  const seeded = await gateway.seedKey()
  const key = newKey()
  const body = chatOf('small', { stream: true })
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const leaving = new AbortController()
  const answer = ask(seeded, { key, body, at: busy, signal: leaving.signal })
  const { response } = await called
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n')
  await answer
  leaving.abort()
  await once(response, 'close')
  await untilState(seeded, key, '')
  upstream.answer(answerChat())
  assert.equal(isReplay(await ask(seeded, { key, body, at: busy })), false)
  await busy.close()
})

t.test('a repeat of an answer that is too long to keep is refused, and not charged', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const content = 'x'.repeat(256 * 1024)
  upstream.answer(({ response }) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ choices: [{ index: 0, message: { content } }], usage }))
  )
  assert.equal(await outcomeOf(await ask(seeded, { key })), '200')
  await untilState(seeded, key, 'l')
  const before = calls()
  assert.equal(await outcomeOf(await ask(seeded, { key })), '409 idempotency_answer_lost')
  assert.equal(calls(), before)
  assert.deepEqual(await charged(seeded), { nanos: cost, requests: 1, holds: 0 })
})

t.test('the oldest answers leave when an account has no room for more; their repeats are refused', async () => {
  const seeded = await gateway.seedKey()
  const content = 'x'.repeat(200 * 1024)
  upstream.answer(({ response }) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ choices: [{ index: 0, message: { content } }], usage }))
  )
  const all = Array.from({ length: 5 }, newKey)
  for (const key of all) {
    await (await ask(seeded, { key })).text()
    await untilState(seeded, key, 'k')
  }
  const outcomes: string[] = []
  for (const key of all) outcomes.push(await outcomeOf(await ask(seeded, { key })))
  assert.deepEqual(outcomes, [...Array(3).fill('409 idempotency_answer_lost'), '200', '200'])
  const sums = await gateway.control.client.hgetall(`idem-bytes:{${accountShard(seeded.account)}}`)
  assert.ok(Number(sums[seeded.account]) <= 512 * 1024)
  assert.equal(await countOf('tollgate_idempotent_answers_total', { outcome: 'evicted' }), 3)
})

t.test('a waiting client that leaves ends its wait', async () => {
  const seeded = await gateway.seedKey()
  const key = newKey()
  const { promise: called, resolve } = Promise.withResolvers<Received>()
  upstream.answer(resolve)
  const running = ask(seeded, { key })
  const received = await called
  const before = await waitedAt()
  const leaving = new AbortController()
  const left = ask(seeded, { key, signal: leaving.signal }).catch(() => null)
  while ((await waitedAt()) === before) await new Promise(setImmediate)
  const gone = await countOf('tollgate_requests_total', { status: '499' })
  leaving.abort()
  await left
  while ((await countOf('tollgate_requests_total', { status: '499' })) === gone) await new Promise(setImmediate)
  answerChat()(received)
  assert.equal(await outcomeOf(await running), '200')
  assert.equal(gateway.bodyMemory.heldBytes, 0)
})

t.test('free endpoints and requests without the header are not claimed', async () => {
  const seeded = await gateway.seedKey()
  assert.equal(isReplay(await ask(seeded, {})), false)
  assert.equal(isReplay(await ask(seeded, {})), false)
  const names = await gateway.control.client.keys(`idem:*${seeded.account}*`)
  assert.deepEqual(names, [])
})

t.test('without the setting, the header is ignored', async () => {
  const off = await startGateway(upstream.url, { beside: gateway })
  const seeded = await gateway.seedKey()
  const key = newKey()
  const before = calls()
  for (let n = 0; n < 2; n++) assert.equal(isReplay(await ask(seeded, { key: n === 0 ? key : '', at: off })), false)
  assert.equal(calls() - before, 2)
  await off.close()
})
