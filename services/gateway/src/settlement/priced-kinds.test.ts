import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { ListedPrices, ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { callsOf, type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { sumOf } from '../testing/read-metrics.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const { small } = testCatalog.models as { small: Catalog['models'][string] }
/** One nanodollar for input, ten for output, and others for the rest. */
const base: ListedPrices = {
  inputPicos: 1000,
  cachedInputPicos: 100,
  cacheWritePicos: 1250,
  audioInputPicos: 32_000,
  outputPicos: 10_000
}
const times = (factor: number): ListedPrices => ({
  inputPicos: 1000 * factor,
  cachedInputPicos: 100 * factor,
  cacheWritePicos: 1250 * factor,
  audioInputPicos: 32_000 * factor,
  outputPicos: 10_000 * factor
})
const always = (...rows: Array<[tier: string, above: number, factor: number]>): ModelPrices => ({
  ...base,
  periods: [
    { rows: rows.map(([tier, abovePromptTokens, factor]) => ({ tier, abovePromptTokens, prices: times(factor) })) }
  ]
})
/** From then on, the model `dated` costs five times as much. The first test has begun by then. */
const changesAt = Math.floor(Date.now() / 1000) + 5
const models: Catalog['models'] = {
  plain: { ...small, prices: base },
  tiered: { ...small, prices: always(['default', 0, 1], ['flex', 0, 0.5], ['priority', 0, 2]) },
  long: { ...small, prices: always(['default', 0, 1], ['default', 100, 2]) },
  dated: {
    ...small,
    prices: {
      ...base,
      periods: [
        { rows: [{ tier: 'default', abovePromptTokens: 0, prices: base }] },
        { from: changesAt, rows: [{ tier: 'default', abovePromptTokens: 0, prices: times(5) }] }
      ]
    }
  },
  fees: { ...small, prices: { ...base, requestNanos: 7000 } },
  kept: { ...small, prices: { ...base, longCacheWritePicos: 2500 } }
}
const catalog: Catalog = { models, plans: { free: { ...testCatalog.plans.free!, models: Object.keys(models) } } }

let upstream: FakeUpstream
let gateway: TestGateway
let seeded: SeededKey
t.before(async () => {
  upstream = await startFakeUpstream()
  const entry = `base_url: '${upstream.url}/v1', credential_variable: TEST_CREDENTIAL, chooses_service_tier: true`
  gateway = await startGateway(upstream.url, { catalog, upstreamsFile: `upstreams: { test: { ${entry} } }` })
})
t.beforeEach(async () => {
  seeded = await gateway.seedKey()
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const usage = { prompt_tokens: 10, completion_tokens: 20 }
const plainNanos = 10 * 1 + 20 * 10

function answerWith(members: object, waits: Promise<unknown> = Promise.resolve()): void {
  upstream.answer(async ({ response }) => {
    await waits
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: {} }], ...members }))
  })
}
function streamWith(...events: object[]): void {
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
}
const chat = (model: string, members: object = {}) =>
  post(gateway, seeded.secret, '/chat/completions', chatOf(model, members))

/** Calls a model. @returns the charged nanodollars */
async function charged(model: string, members: object = {}): Promise<number> {
  const before = (await spend())?.settled ?? 0
  const response = await chat(model, members)
  assert.equal(response.status, 200, await response.text())
  await gateway.settled()
  return (await spend())!.settled - before
}
const month = () => Number(new Date().toISOString().slice(0, 7).replace('-', ''))
const spend = () => readSpend(gateway.control, seeded.account, month())
const forwarded = () => JSON.parse(callsOf(upstream.received).at(-1)!.body) as Record<string, unknown>

t.test('a request that runs while its price changes costs the dearer price, within what was reserved', async () => {
  const waits = new Promise<void>((resolve) => setTimeout(resolve, changesAt * 1000 + 50 - Date.now()))
  answerWith({ usage }, waits)
  assert.equal(await charged('dated'), plainNanos * 5)
  answerWith({ usage })
  assert.equal(await charged('dated'), plainNanos * 5)
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('a request is charged for the tier that its answer names, in a body and in a stream', async () => {
  for (const [tier, factor] of [
    ['flex', 0.5],
    ['default', 1],
    ['standard', 1],
    ['priority', 2]
  ] as const) {
    answerWith({ usage, service_tier: tier })
    assert.equal(await charged('tiered', { service_tier: 'auto' }), plainNanos * factor, tier)
    answerWith({ service_tier: tier, usage })
    assert.equal(await charged('tiered', { service_tier: 'auto' }), plainNanos * factor, tier)
    streamWith({ choices: [{ index: 0, delta: {} }] }, { choices: [], usage, service_tier: tier })
    assert.equal(await charged('tiered', { service_tier: 'auto', stream: true }), plainNanos * factor, tier)
  }
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('an answer without a known tier is charged for the dearest tier that the request allows', async () => {
  for (const members of [{ usage }, { usage, service_tier: 'turbo' }, { usage, service_tier: null }]) {
    answerWith(members)
    assert.equal(await charged('tiered', { service_tier: 'auto' }), plainNanos * 2)
    assert.equal(await charged('tiered', { service_tier: 'flex' }), plainNanos)
    assert.equal(await charged('tiered'), plainNanos)
  }
  const tiers = { model: 'tiered', kind: 'service_tier' }
  assert.equal(sumOf(await gateway.metrics(), 'tollgate_usage_unpriced_total', tiers), 3, 'an unknown tier is counted')
})

t.test('a tier without a price is refused', async () => {
  assert.equal(await outcomeOf(await chat('tiered', { service_tier: 'ultrafast' })), '400 unpriced_parameter')
  assert.equal(await outcomeOf(await chat('plain', { service_tier: 'flex' })), '400 unpriced_parameter')
})

t.test('an upstream that can choose the tier gets the standard one, unless the request allows others', async () => {
  answerWith({ usage })
  for (const [model, members, sent] of [
    ['plain', {}, 'default'],
    ['plain', { service_tier: null }, 'default'],
    ['plain', { service_tier: 'auto' }, 'default'],
    ['plain', { service_tier: 'default' }, 'default'],
    ['tiered', {}, 'default'],
    ['tiered', { service_tier: 'auto' }, 'auto'],
    ['tiered', { service_tier: 'flex' }, 'flex']
  ] as const) {
    await charged(model, members)
    assert.equal(forwarded().service_tier, sent, JSON.stringify([model, members]))
  }
})

t.test('a prompt above the length costs more as a whole, and its longest bound is reserved', async () => {
  const usageOf = (prompt: number) => ({ usage: { prompt_tokens: prompt, completion_tokens: 20 } })
  answerWith(usageOf(100))
  assert.equal(await charged('long'), 100 + 200)
  const content = 'x'.repeat(200)
  answerWith(usageOf(101))
  assert.equal(await charged('long', { messages: [{ role: 'user', content }] }), 2 * (101 + 200))
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('audio and cache writes have their own prices, and are counted', async () => {
  const details = { cached_tokens: 3, cache_write_tokens: 4, audio_tokens: 2 }
  answerWith({ usage: { ...usage, prompt_tokens_details: details } })
  assert.equal(await charged('plain'), Math.ceil(2 * 32 + 4 * 1.25 + 3 * 0.1 + 1 + 200))
  const [row] = (await readState(gateway.state.client, seeded.account)).usage.values()
  assert.deepEqual([row!.audioInputTokens, row!.cacheWriteTokens, row!.toolCalls], [2, 4, 0])
})

t.test('writes of a chat cost the long time that it asked for, because its usage does not tell the time', async () => {
  answerWith({ usage: { ...usage, prompt_tokens_details: { cache_write_tokens: 4 } } })
  const options = { prompt_cache_options: { ttl: '12h' } }
  assert.equal(await charged('kept', options), 4 * 2.5 + 6 + 200)
  assert.equal(await charged('kept'), 4 * 1.25 + 6 + 200)
})

t.test('a cut stream is charged for audio and cache writes that its provider may bill', async () => {
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n')
    setTimeout(() => response.destroy(), 50)
  })
  const before = (await spend())?.settled ?? 0
  await (await chat('plain', { stream: true })).text()
  await gateway.settled()
  const [row] = (await readState(gateway.state.client, seeded.account)).usage.values()
  const { promptTokens, completionTokens, cacheWriteTokens, costNanos } = row!
  assert.equal(cacheWriteTokens, promptTokens)
  assert.equal(costNanos, Math.ceil(promptTokens * 1.25) + completionTokens * 10)
  assert.equal((await spend())!.settled - before, costNanos)
})

t.test('a kind without a price costs the dearest price of its side, and raises a metric', async () => {
  const unpriced = async (kind: string) =>
    sumOf(await gateway.metrics(), 'tollgate_usage_unpriced_total', { model: 'plain', kind })
  const before = await unpriced('audio_output')
  const details = { completion_tokens_details: { audio_tokens: 5 } }
  answerWith({ usage: { ...usage, ...details } })
  assert.equal(await charged('plain'), plainNanos)
  assert.equal(await unpriced('audio_output'), before + 1)
  const long = { cache_write_tokens: 4, cache_write_tokens_details: { ttl_12h_tokens: 4 } }
  answerWith({ usage: { ...usage, prompt_tokens_details: long } })
  assert.equal(await charged('plain'), 4 * 32 + 6 + 200)
  assert.equal(await unpriced('cache_write_long'), 1)
})

t.test('a long cache life is accepted if writes into it have a price, and is reserved only then', async () => {
  answerWith({ usage: { ...usage, prompt_tokens_details: { cache_write_tokens_details: { ttl_12h_tokens: 10 } } } })
  const kept = { prompt_cache_options: { ttl: '12h' } }
  assert.equal(await outcomeOf(await chat('plain', kept)), '400 unpriced_parameter')
  assert.equal(await charged('kept', kept), 10 * 2.5 + 200)
})

t.test('each request has the price of a request besides its tokens', async () => {
  answerWith({ usage })
  assert.equal(await charged('fees'), plainNanos + 7000)
})
