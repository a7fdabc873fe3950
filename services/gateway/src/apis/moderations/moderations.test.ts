import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import { callsOf, type FakeUpstream, startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const { small } = testCatalog.models as { small: Catalog['models'][string] }
const { images, ...textual } = small
const moderation = { ...textual, kind: 'moderation' as const, maxOutputTokens: 0, defaultOutputTokens: 0 }
const free = { inputPicos: 0, cachedInputPicos: 0, outputPicos: 0 }
const models: Catalog['models'] = {
  'by-request': { ...moderation, prices: { ...free, requestNanos: 7000 } },
  'by-token': { ...moderation, prices: { ...free, inputPicos: 2000, cachedInputPicos: 2000 } },
  'with-pictures': { ...moderation, prices: free, images: { rule: 'fixed' as const, tokens: 1 } },
  chat: small
}
const catalog: Catalog = { models, plans: { free: { ...testCatalog.plans.free!, models: Object.keys(models) } } }
const results = [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }]

let upstream: FakeUpstream
let gateway: TestGateway
let seeded: SeededKey
t.before(async () => {
  upstream = await startFakeUpstream()
  const entry = `base_url: '${upstream.url}/v1', credential_variable: TEST_CREDENTIAL, speaks: [chat, moderations]`
  gateway = await startGateway(upstream.url, { catalog, upstreamsFile: `upstreams: { test: { ${entry} } }` })
  seeded = await gateway.seedKey()
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const answerWith = (members: object = {}) =>
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'modr-1', model: 'moderation', results, ...members }))
  })
const ask = (members: object, secret = seeded.secret) => post(gateway, secret, '/moderations', members)
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))
const spend = async () => (await readSpend(gateway.control, seeded.account, month()))?.settled ?? 0

/** Calls a model. @returns the charged nanodollars. A header says the same, unless the usage is estimated */
async function charged(members: object): Promise<number> {
  const before = await spend()
  const response = await ask(members)
  assert.equal(response.status, 200, await response.clone().text())
  assert.deepEqual(((await response.json()) as { results: unknown }).results, results)
  await gateway.settled()
  const nanos = (await spend()) - before
  const told = response.headers.get('x-tollgate-cost')
  if (told !== null) assert.equal(Math.round(Number(told) * 1e9), nanos)
  return nanos
}

t.test('a moderation without usage costs the price of a request, and no tokens', async () => {
  answerWith()
  for (const input of ['I will find you', ['one', 'two'], [{ type: 'text', text: 'one' }]]) {
    assert.equal(await charged({ model: 'by-request', input }), 7000)
  }
  const { body, request } = callsOf(upstream.received).at(-1)!
  assert.deepEqual([request.url, JSON.parse(body).input], ['/v1/moderations', [{ type: 'text', text: 'one' }]])
})

t.test('a moderation with a price for tokens costs those that the provider reports, or an estimate', async () => {
  answerWith({ usage: { prompt_tokens: 12, total_tokens: 12 } })
  assert.equal(await charged({ model: 'by-token', input: 'I will find you' }), 24)
  answerWith()
  assert.ok((await charged({ model: 'by-token', input: 'I will find you' })) > 0)
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('the texts of a moderation are counted by the model’s tokenizer', async () => {
  answerWith()
  const text = 'word '.repeat(2000)
  // 10,000 bytes, and about 2,000 tokens at 2,000 nanodollars each.
  for (const input of [text, [text], [{ type: 'text', text }]]) {
    const { secret } = await gateway.seedKey({ key: { monthlyBudgetNanos: 7_000_000 } })
    assert.equal((await ask({ model: 'by-token', input }, secret)).status, 200)
  }
})

t.test('an error beside the results costs nothing, however its bytes arrive', async () => {
  const body = JSON.stringify({ results, error: { message: 'x' } })
  for (const cut of [body.length, body.indexOf(',"error')]) {
    upstream.answer(async ({ response }) => {
      response.setHeader('content-type', 'application/json')
      response.write(body.slice(0, cut))
      await new Promise((resolve) => setTimeout(resolve, cut < body.length ? 30 : 0))
      response.end(body.slice(cut))
    })
    const before = await spend()
    assert.match(await outcomeOf(await ask({ model: 'by-request', input: 'Hi' })), /^502/)
    await gateway.settled()
    assert.equal(await spend(), before)
  }
})

t.test('pictures are accepted where the catalog bounds them', async () => {
  answerWith()
  const input = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]
  assert.equal(await charged({ model: 'with-pictures', input }), 0)
  assert.match(await outcomeOf(await ask({ model: 'by-request', input })), /400.*unpriced_parameter/)
})

t.test('what is no moderation is refused', async () => {
  for (const [members, outcome] of [
    [{ model: 'chat', input: 'Hi' }, /400.*wrong_endpoint/],
    [{ model: 'by-request' }, /400.*invalid_request/],
    [{ model: 'by-request', input: [] }, /400.*invalid_request/],
    [{ model: 'by-request', input: 'Hi', stream: true }, /400.*invalid_request/],
    [{ model: 'by-request', input: [{ type: 'file', file: {} }] }, /400.*unpriced_parameter/]
  ] as const) {
    assert.match(await outcomeOf(await ask(members)), outcome, JSON.stringify(members))
  }
})

t.test('a moderation that does not fit into the budget is refused before it is made', async () => {
  answerWith()
  const { secret } = await gateway.seedKey({ key: { monthlyBudgetNanos: 10_000 } })
  const before = callsOf(upstream.received).length
  assert.equal((await ask({ model: 'by-request', input: 'Hi' }, secret)).status, 200)
  await gateway.settled()
  assert.match(await outcomeOf(await ask({ model: 'by-request', input: 'Hi' }, secret)), /402.*key_budget_exceeded/)
  assert.equal(callsOf(upstream.received).length, before + 1)
})
