import assert from 'node:assert/strict'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import OpenAI from 'openai'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import { callsOf, type FakeUpstream, startFakeUpstream } from '../../testing/fake-upstream.ts'
import { responseOf, responseUsage } from '../../testing/responses-answers.ts'
import { catalogOf, startGateway, type TestGateway } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const catalog = catalogOf({ small: [{ upstream: 'billed' }], fake: [{ upstream: 'fake' }] })
const { prices, maxOutputTokens, contextWindow } = catalog.models.small!
const { inputPicos, outputPicos } = prices
let [models, upstream, gateway] = [] as unknown as [RunningModels, FakeUpstream, TestGateway]
t.before(async () => {
  models = await startModels({ port: 0, apiKey: 'upstream-credential', paceMs: 0 })
  upstream = await startFakeUpstream()
  const billed = `{ base_url: '${models.baseUrl}', credential_variable: TEST_CREDENTIAL, speaks: [responses] }`
  const fake = `{ base_url: '${upstream.url}/v1', speaks: [responses] }`
  gateway = await startGateway(models.url, {
    catalog,
    upstreamsFile: `upstreams: { billed: ${billed}, fake: ${fake} }`
  })
})
t.teardown(async () => {
  await gateway.close()
  await Promise.all([models.close(), upstream.close()])
})

const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))
async function spentOf({ account }: SeededKey) {
  await gateway.settled()
  return readSpend(gateway.control, account, month())
}
const nanos = (picos: number) => Math.ceil(picos / 1000)
const compact = ({ secret }: SeededKey, members: object = {}) =>
  post(gateway, secret, '/responses/compact', { model: 'fake', input: 'Hello', ...members })

t.test('a conversation is compacted and continued, and each step costs what the provider bills', async () => {
  const key = await gateway.seedKey()
  const { responses } = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  let billed = 0
  const assertBilled = async () => {
    const { promptTokens, completionTokens } = models.requests().at(-1)!
    billed += nanos(promptTokens * inputPicos + completionTokens * outputPicos)
    assert.deepEqual(await spentOf(key), { settled: billed, reserved: 0 })
  }
  const { id } = await responses.create({ model: 'small', input: 'say 30 words' })
  await assertBilled()
  const compacted = await responses.compact({ model: 'small', previous_response_id: id })
  await assertBilled()
  assert.deepEqual(
    compacted.output.map(({ type }) => type),
    ['message', 'compaction']
  )
  const question = { role: 'user' as const, content: 'and?' }
  const items = compacted.output as OpenAI.Responses.ResponseInputItem[]
  await responses.create({ model: 'small', input: [...items, question] })
  await assertBilled()
  const sealed = items.map((item) => ({ ...item, id: undefined }))
  await responses.create({ model: 'small', input: [...(sealed as typeof items), question] })
  await assertBilled()
  assert.equal(await gateway.aboveBound(), 0)
})

t.test("the model's maximum output is reserved, and no limit is sent", async () => {
  const made = { ...responseOf('x'), object: 'response.compaction', usage: responseUsage(20, 7) }
  upstream.answer(({ response }) => void response.end(JSON.stringify(made)))
  const body = { model: 'fake', input: 'Hello' }
  const bound = (JSON.stringify(body).length + 8) * inputPicos + maxOutputTokens * outputPicos
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) } })
  const answer = await compact(key)
  assert.deepEqual(await answer.json(), made)
  assert.equal(answer.headers.get('x-tollgate-granted-output-tokens'), null)
  assert.deepEqual(JSON.parse(callsOf(upstream.received).at(-1)!.body), body)
  assert.equal((await spentOf(key))!.settled, nanos(20 * inputPicos + 7 * outputPicos))
  const poor = await gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) - 1 } })
  assert.equal(await outcomeOf(await compact(poor)), '402 key_budget_exceeded')
  upstream.answer(({ response }) => void response.end(JSON.stringify({ ...made, usage: null })))
  const charged = await gateway.seedKey()
  await (await compact(charged)).text()
  assert.equal((await spentOf(charged))!.settled, nanos(bound), 'without usage')
})

t.test('an input with a compacted conversation reserves the whole context', async () => {
  upstream.answer(({ response }) => void response.writeHead(400).end('{}'))
  const input = [{ type: 'compaction', encrypted_content: 'eA==' }]
  const ask = (budget: number) =>
    gateway
      .seedKey({ key: { monthlyBudgetNanos: nanos(budget) } })
      .then(({ secret }) => post(gateway, secret, '/responses', { model: 'fake', input, max_output_tokens: 16 }))
  const bound = contextWindow * inputPicos + 16 * outputPicos
  assert.equal((await ask(bound)).status, 400)
  assert.equal((await ask(bound - 1000)).status, 402)
})

t.test('what a response may not have, and the ids of others, are refused', async () => {
  const [ada, bob] = [await gateway.seedKey(), await gateway.seedKey()]
  const { responses } = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: ada.secret, maxRetries: 0 })
  const { output } = await responses.compact({ model: 'small', input: 'x' })
  const before = upstream.received.length
  for (const [members, outcome] of [
    [{ input: [{ type: 'compaction', id: output.at(-1)!.id }] }, '404 item_not_found'],
    [{ previous_response_id: 'resp_1' }, '404 previous_response_not_found'],
    [{ tools: [{ type: 'web_search' }] }, '400 invalid_request'],
    [{ stream: true }, '400 invalid_request'],
    [{ max_output_tokens: 100 }, '400 invalid_request'],
    [{ service_tier: 'priority' }, '400 unpriced_parameter'],
    [{ model: 'other' }, '403 model_not_allowed']
  ] as const)
    assert.equal(await outcomeOf(await compact(bob, members)), outcome, JSON.stringify(members))
  assert.equal(upstream.received.length, before)
})
