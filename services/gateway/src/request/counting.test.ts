import assert from 'node:assert/strict'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, type Received } from '../testing/fake-upstream.ts'
import { answerMessage, messageOf, postMessage } from '../testing/message-answers.ts'
import { catalogOf, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { startTwoUpstreams } from '../testing/two-upstreams.ts'

let [first, second, gateway, close] = [] as unknown as [FakeUpstream, FakeUpstream, TestGateway, () => Promise<void>]
t.before(async () => {
  const catalog = catalogOf({ small: [{ upstream: 'first' }, { upstream: 'second', priority: 1 }] })
  ;({ first, second, gateway, close } = await startTwoUpstreams({ catalog }, (first, second) => ({
    first: [`${first}/v1`, 'messages, responses'],
    second: [`${second}/v1`, 'messages, responses']
  })))
})
t.teardown(() => close())
const answer = (received: Received): void => {
  if (received.request.url!.includes('/messages')) answerMessage(received)
  else {
    received.response.setHeader('content-type', 'application/json')
    received.response.end('{"object":"response.input_tokens","input_tokens":11}')
  }
}
t.beforeEach(async () => {
  first.answer(answer)
  second.answer(answer)
})

const countMessage = ({ secret }: SeededKey) =>
  postMessage(gateway, secret, messageOf('small', { max_tokens: undefined }), { path: '/count_tokens' })
const countResponse = ({ secret }: SeededKey) =>
  post(gateway, secret, '/responses/input_tokens', { model: 'small', input: 'Hello' })
const endpoints = [
  ['/v1/messages/count_tokens', countMessage, 14],
  ['/v1/responses/input_tokens', countResponse, 11]
] as const

t.test('counting tokens needs no budget, and is neither in the spend nor in the usage', async () => {
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 0 } })
  for (const [path, count, tokens] of endpoints) {
    const counted = await count(key)
    assert.equal(counted.status, 200)
    assert.equal(((await counted.json()) as { input_tokens: number }).input_tokens, tokens)
    assert.equal(callsOf(first.received).at(-1)!.request.url, path)
    assert.ok(counted.headers.get('x-request-id')!.startsWith('req_'))
  }
  await gateway.settled()
  const { account, holds, usage } = await readState(gateway.state.client, key.account)
  assert.deepEqual([account!.settled, holds.size, usage.size], [0, 0, 0])
  assert.equal(gateway.bodyMemory.heldBytes ?? 0, 0)
})

t.test('both APIs share one limit: the request rate of the key, besides its other requests', async () => {
  const rare = await gateway.seedKey({ key: { requestsPerMinute: 2 } })
  assert.deepEqual([(await countMessage(rare)).status, (await countResponse(rare)).status], [200, 200])
  const refused = await countMessage(rare)
  assert.equal(refused.status, 429)
  assert.partialDeepStrictEqual(await refused.json(), {
    error: { type: 'rate_limit_error', details: { error_code: 'requests_per_minute' } }
  })
  assert.partialDeepStrictEqual(await (await countResponse(rare)).json(), { error: { code: 'requests_per_minute' } })
  assert.equal((await postMessage(gateway, rare.secret, messageOf('small'))).status, 200)
})

t.test('another upstream counts if the first one fails, or answers without a number', async () => {
  const key = await gateway.seedKey()
  const odd = [
    ({ response }: Received) => void response.writeHead(500).end('{}'),
    ({ response }: Received) => void response.end('{"input_tok'),
    ({ response }: Received) => void response.destroy()
  ]
  for (const [, count] of endpoints) {
    for (const fail of odd) {
      first.answer(fail)
      second.answer(answer)
      assert.equal((await count(key)).status, 200)
      second.answer(fail)
      assert.equal((await count(key)).status, 502)
    }
  }
})

t.test("a provider's refusal keeps its status, its words and the shape of the API", async () => {
  const key = await gateway.seedKey()
  first.answer(
    ({ response }) => void response.writeHead(404).end('{"error":{"type":"not_found_error","message":"No such thing"}}')
  )
  const before = second.received.length
  for (const [, count] of endpoints) {
    const refused = await count(key)
    assert.equal(refused.status, 404)
    assert.partialDeepStrictEqual(await refused.json(), {
      error: { type: 'not_found_error', message: 'No such thing' }
    })
  }
  assert.equal(second.received.length, before, 'no other upstream was called')
})
