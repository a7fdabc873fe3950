import assert from 'node:assert/strict'
import { storedIdsName } from '@tollgate/state/keyspace/names.ts'
import OpenAI from 'openai'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import type { FakeUpstream, Received } from '../../testing/fake-upstream.ts'
import { answerWith } from '../../testing/responses-answers.ts'
import { catalogOf, type TestGateway } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'
import { startTwoUpstreams } from '../../testing/two-upstreams.ts'

let [first, second, gateway, ada, bob, close] = [] as unknown as [
  FakeUpstream,
  FakeUpstream,
  TestGateway,
  SeededKey,
  SeededKey,
  () => Promise<void>
]
t.before(async () => {
  const catalog = catalogOf({ small: [{ upstream: 'first' }], other: [{ upstream: 'second', model: 'renamed' }] })
  ;({ first, second, gateway, close } = await startTwoUpstreams({ catalog }, (first, second) => ({
    first: [`${first}/v1`, 'responses'],
    second: [`${second}/v1?api-version=1`, 'responses']
  })))
  ada = await gateway.seedKey()
  bob = await gateway.seedKey()
})
t.teardown(() => close())

const stored = { id: '', object: 'response', status: 'completed', output: [], usage: null }

/** Lets a provider keep what it made: as the Responses API does, for whoever has the credential. */
function keep(upstream: FakeUpstream): void {
  const kept = new Set<string>()
  const make = answerWith(['Hello'])
  upstream.answer((received: Received) => {
    const { request, response } = received
    const [, id, end = ''] = /^\/v1\/responses\/([^/?]+)([^?]*)/.exec(request.url!) ?? []
    const answer = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = (status: number, message: string) => answer(status, { error: { message, type: 'x', code: null } })
    if (id === 'input_tokens') answer(200, { object: 'response.input_tokens', input_tokens: 11 })
    else if (id === undefined) {
      const write = response.end.bind(response) as (text: string) => typeof response
      response.end = ((text: string) => {
        kept.add(/resp_\d+/.exec(text)![0])
        return write(text)
      }) as typeof response.end
      make(received)
    } else if (!kept.has(id)) refuse(404, `Response with id '${id}' not found.`)
    else if (end === '/cancel') refuse(400, 'Cannot cancel a synchronous response.')
    else if (end === '/input_items')
      answer(200, { object: 'list', data: [{ id: 'msg_in', type: 'message' }], has_more: false })
    else if (request.method === 'DELETE') {
      kept.delete(id)
      answer(200, { id, object: 'response', deleted: true })
    } else answer(200, { ...stored, id })
  })
}
t.beforeEach(async () => {
  keep(first)
  keep(second)
})

const clientOf = ({ secret }: SeededKey) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
const make = (key: SeededKey, model = 'small') => clientOf(key).responses.create({ model, input: 'Hello' })
const call = (key: SeededKey, method: string, path: string) =>
  fetch(`${gateway.url}/v1/responses/${path}`, { method, headers: { authorization: `Bearer ${key.secret}` } })
const lastOf = ({ received }: FakeUpstream) => {
  const { request, body } = received.at(-1)!
  return `${request.method} ${request.url} ${body}`
}

t.test('an account reads and deletes its own responses, at the provider that has them', async () => {
  for (const [model, upstream, query] of [
    ['small', first, ''],
    ['other', second, '?api-version=1']
  ] as const) {
    const { responses } = clientOf(ada)
    const { id } = await make(ada, model)
    assert.equal((await responses.retrieve(id)).id, id)
    assert.equal(lastOf(upstream), `GET /v1/responses/${id}${query} `)
    const items = await responses.inputItems.list(id, { limit: 5, order: 'asc' })
    assert.equal(items.data.length, 1)
    const [path, asked] = lastOf(upstream).split('?')
    assert.equal(path, `GET /v1/responses/${id}/input_items`)
    assert.deepEqual(
      new Set(asked!.trim().split('&')),
      new Set(['limit=5', 'order=asc', ...(query === '' ? [] : [query.slice(1)])])
    )
    await assert.rejects(responses.cancel(id), /400 Cannot cancel a synchronous response/)
    await responses.delete(id)
    assert.equal(lastOf(upstream), `DELETE /v1/responses/${id}${query} `)
    const before = upstream.received.length
    await assert.rejects(responses.retrieve(id), { status: 404, code: 'response_not_found' })
    const chain = await post(gateway, ada.secret, '/responses', { model, input: 'x', previous_response_id: id })
    assert.equal(await outcomeOf(chain), '404 previous_response_not_found')
    assert.equal(upstream.received.length, before, 'the gateway has forgotten it')
  }
})

t.test('the responses of others do not exist on any route', async () => {
  const { id } = await make(ada)
  const before = first.received.length
  for (const key of [bob, await gateway.seedKey({ beside: ada }), ada]) {
    const name = key === ada ? 'resp_unknown' : id
    for (const [method, path] of [
      ['GET', name],
      ['DELETE', name],
      ['GET', `${name}/input_items`],
      ['POST', `${name}/cancel`]
    ] as const) {
      const response = await call(key, method, path)
      const { error } = (await response.json()) as { error: { message: string } }
      assert.deepEqual([response.status, error.message], [404, `Response with id '${name}' not found.`])
    }
  }
  for (const odd of ['..%2Fmodels', 'x%0d%0aa:b', '%20', 'x'.repeat(300), `${id}%3Fa`])
    assert.equal((await call(ada, 'GET', odd)).status, 404, odd)
  assert.equal(first.received.length, before)
  assert.equal((await call(ada, 'GET', id)).status, 200, 'nothing was deleted')
})

t.test('a response whose id Redis did not take is found once Redis takes it', async () => {
  const name = storedIdsName(ada.account)
  await gateway.control.client.del(name)
  await gateway.control.client.set(name, 'no hash')
  const { id } = await make(ada)
  assert.equal(await outcomeOf(await call(ada, 'GET', id)), '503 state_unavailable')
  await gateway.control.client.del(name)
  let outcome = ''
  // Each call waits for the id for a while, too.
  for (let calls = 0; calls < 10 && outcome !== '200'; calls++) outcome = await outcomeOf(await call(ada, 'GET', id))
  assert.equal(outcome, '200')
})

t.test('a rotated key has the responses that it made before', async () => {
  const key = await gateway.seedKey()
  const { id } = await make(key)
  const rotated = await gateway.rotateKey(key)
  for (const one of [rotated, key]) {
    const response = await call(one, 'GET', id)
    assert.equal(((await response.json()) as { id: string }).id, id)
  }
})

t.test('queries that could change the cost or the form of the answer are refused', async () => {
  const { id } = await make(ada)
  for (const query of ['stream=true', 'starting_after=1', 'key=x'])
    assert.equal(await outcomeOf(await call(ada, 'GET', `${id}?${query}`)), '400 invalid_request')
  assert.equal((await call(ada, 'GET', `${id}?include[]=a&include=b%26c%3Dd&stream=false`)).status, 200)
  assert.equal(lastOf(first), `GET /v1/responses/${id}?include%5B%5D=a&include=b%26c%3Dd `)
})

t.test('the provider counts the tokens of an input, and nothing is charged', async () => {
  const count = (key: SeededKey, members: object) =>
    post(gateway, key.secret, '/responses/input_tokens', { model: 'other', input: 'Hello', ...members })
  const poor = await gateway.seedKey({ key: { monthlyBudgetNanos: 0 } })
  assert.deepEqual(await (await count(poor, {})).json(), { object: 'response.input_tokens', input_tokens: 11 })
  assert.equal(lastOf(second), 'POST /v1/responses/input_tokens?api-version=1 {"model":"renamed","input":"Hello"}')
  const { id } = await make(ada, 'other')
  assert.equal((await count(ada, { previous_response_id: id })).status, 200)
  for (const [key, members, outcome] of [
    [bob, { previous_response_id: id }, '404 previous_response_not_found'],
    [bob, { input: [{ id: 'msg_1' }] }, '404 item_not_found'],
    [bob, { conversation: 'conv_1' }, '404 conversation_not_found'],
    [bob, { tools: [{ type: 'mcp' }] }, '400 unpriced_parameter'],
    [bob, { stream: true }, '400 invalid_request'],
    [bob, { model: 'unknown' }, '403 model_not_allowed']
  ] as const)
    assert.equal(await outcomeOf(await count(key, members)), outcome)
  second.answer(({ response }) => void response.writeHead(404).end('{"error":{"message":"No such endpoint"}}'))
  assert.equal(await outcomeOf(await count(bob, {})), '404 invalid_request')
  assert.equal(gateway.bodyMemory.heldBytes ?? 0, 0)
})

t.test('calls that cost nothing are limited to the request rate of the key, and need a valid one', async () => {
  const { id } = await make(ada)
  const rare = await gateway.seedKey({ key: { requestsPerMinute: 2 } })
  const outcomes = []
  for (let number = 0; number < 4; number++) outcomes.push(await outcomeOf(await call(rare, 'GET', id)))
  assert.deepEqual(outcomes.slice(0, 2), ['404 response_not_found', '404 response_not_found'])
  assert.deepEqual(outcomes.slice(2), ['429 requests_per_minute', '429 requests_per_minute'])
  const revoked = await gateway.seedKey({ key: { status: 'revoked' } })
  assert.equal(await outcomeOf(await call(revoked, 'GET', id)), '401 revoked_api_key')
})

t.test('a provider that fails gives the usual errors', async () => {
  const { id } = await make(ada)
  for (const [status, outcome] of [
    [500, '502 upstream_error'],
    [401, '502 upstream_rejected_credentials'],
    [429, '503 upstream_rate_limited']
  ] as const) {
    first.answer(({ response }) => void response.writeHead(status).end('{}'))
    assert.equal(await outcomeOf(await call(ada, 'GET', id)), outcome)
  }
  assert.match(
    await gateway.metrics(),
    /^tollgate_upstream_problem\{upstream="first"\} 1$/m,
    'the operator is told of the 401'
  )
  first.answer(({ response }) => void response.destroy())
  assert.equal(await outcomeOf(await call(ada, 'GET', id)), '502 upstream_error')
  keep(first)
  assert.equal((await call(ada, 'GET', (await make(ada)).id)).status, 200)
  assert.match(await gateway.metrics(), /^tollgate_upstream_problem\{upstream="first"\} 0$/m)
})
