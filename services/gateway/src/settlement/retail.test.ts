import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { ListedPrices, ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { readReceipts } from '@tollgate/state/receipts/receipts.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const small = testCatalog.models.small!
const free = testCatalog.plans.free!
/** Nanodollars for a token of input and of output. */
const listed = (input: number, output: number): ListedPrices => ({
  inputPicos: input * 1000,
  cachedInputPicos: input * 1000,
  outputPicos: output * 1000
})
/** From then on, the retail price of the model `rising` is ten times as high. The first test has begun by then. */
const risesAt = Math.floor(Date.now() / 1000) + 3
const rising: ModelPrices = {
  ...listed(10, 40),
  periods: [
    { rows: [{ tier: 'default', abovePromptTokens: 0, prices: listed(10, 40) }] },
    { from: risesAt, rows: [{ tier: 'default', abovePromptTokens: 0, prices: listed(100, 400) }] }
  ]
}
const target = { model: 'small', priority: 0, weight: 1 }
const models: Catalog['models'] = {
  sold: {
    ...small,
    prices: listed(2, 8),
    retail: listed(10, 40),
    route: [
      { ...target, upstream: 'test' },
      { ...target, upstream: 'dear', priority: 1, prices: listed(20, 100) }
    ]
  },
  plain: { ...small, prices: listed(2, 8) },
  gift: { ...small, prices: listed(2, 8), retail: listed(0, 0) },
  rising: { ...small, prices: listed(2, 8), retail: rising }
}
const catalog: Catalog = {
  models,
  plans: {
    free: { ...free, models: Object.keys(models) },
    resale: { ...free, models: Object.keys(models), priceGroup: 'partner' }
  },
  priceGroups: { partner: 0.85, friend: 0.5 }
}

let upstream: FakeUpstream
let gateway: TestGateway
/** Whether the first upstream of `sold` fails. */
let isDown = false
let waits: Promise<unknown> = Promise.resolve()
t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(async ({ request, response }) => {
    await waits
    if (isDown && !request.url!.startsWith('/dear/')) {
      response.statusCode = 500
      response.end('{}')
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: {} }], usage: { prompt_tokens: 10, completion_tokens: 20 } }))
  })
  const entry = (path: string) => `{ base_url: '${upstream.url}${path}/v1', credential_variable: TEST_CREDENTIAL }`
  gateway = await startGateway(upstream.url, {
    catalog,
    upstreamsFile: `upstreams: { test: ${entry('')}, dear: ${entry('/dear')} }`
  })
})
t.afterEach(() => {
  isDown = false
  waits = Promise.resolve()
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

interface Charged {
  readonly receipt: Receipt
  /** Of all requests of the key. */
  readonly settled: number
  readonly margin: number
  /** What the answer says that it cost. */
  readonly told: string | null
}

async function ask(key: SeededKey, model: string): Promise<Charged> {
  const response = await post(gateway, key.secret, '/chat/completions', chatOf(model))
  assert.equal(response.status, 200, await response.text())
  await gateway.settled()
  const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
  const { settled } = (await readSpend(gateway.control, key.account, month))!
  const { usage } = await readState(gateway.control.client, key.account)
  const { entries } = await readReceipts(gateway.control, accountShard(key.account), 1000)
  const receipt = entries.flatMap(({ receipts }) => receipts).findLast(({ account }) => account === key.account)!
  const margin = [...usage.values()].reduce((sum, { marginNanos }) => sum + marginNanos, 0)
  return { receipt, settled, margin, told: response.headers.get('x-tollgate-cost') }
}

t.test('an account pays the list price times its price group, and the ledger keeps what that earns', async () => {
  const cost = 10 * 2 + 20 * 8
  const list = 10 * 10 + 20 * 40
  const plain = await ask(await gateway.seedKey(), 'sold')
  assert.deepEqual([plain.settled, plain.receipt.costNanos, plain.margin], [list, list, list - cost])
  assert.equal(plain.told, '0.0000009')
  assert.equal(plain.receipt.rare?.marginNanos, list - cost)
  assert.ok(!plain.receipt.rates!.includes('group'))

  const ofPlan = await ask(await gateway.seedKey({ account: { plan: 'resale' } }), 'sold')
  assert.deepEqual([ofPlan.settled, ofPlan.margin], [list * 0.85, list * 0.85 - cost])
  assert.deepEqual(JSON.parse(ofPlan.receipt.rates!), {
    inputPicos: 8500,
    cachedInputPicos: 8500,
    outputPicos: 34_000,
    reasoningPicos: 34_000,
    group: { name: 'partner', multiplier: 0.85 }
  })

  const override = { limits: { priceGroup: 'friend', until: null } }
  const own = await ask(await gateway.seedKey({ account: { plan: 'resale', override } }), 'sold')
  assert.deepEqual([own.settled, own.margin], [list / 2, list / 2 - cost])
})

t.test('a model without a retail price costs what its provider bills, times the price group', async () => {
  const plain = await ask(await gateway.seedKey(), 'plain')
  assert.deepEqual([plain.settled, plain.margin, plain.receipt.rare], [180, 0, null])
  const partner = await ask(await gateway.seedKey({ account: { plan: 'resale' } }), 'plain')
  assert.deepEqual([partner.settled, partner.margin], [153, 153 - 180])
})

t.test('a dearer upstream that steps in changes the margin, and not the charge', async () => {
  isDown = true
  const { receipt, settled, margin } = await ask(await gateway.seedKey(), 'sold')
  assert.equal(receipt.upstream, 'dear')
  assert.deepEqual([settled, margin], [900, 900 - (10 * 20 + 20 * 100)])
})

t.test('a free model is counted, and answers with an exhausted budget', async () => {
  const key = await gateway.seedKey({ key: { monthlyBudgetNanos: 1000 } })
  assert.equal((await ask(key, 'plain')).settled, 180)
  await gateway.changeKey(key, { monthlyBudgetNanos: 100 })
  assert.match(await outcomeOf(await post(gateway, key.secret, '/chat/completions', chatOf('plain'))), /^402/)
  const { settled, margin, receipt } = await ask(key, 'gift')
  assert.deepEqual([settled, margin, receipt.costNanos, receipt.promptTokens], [180, -180, 0, 10])
  const rows = [...(await readState(gateway.control.client, key.account)).usage]
  const used = rows.find(([name]) => name.endsWith('|gift'))?.[1]
  assert.partialDeepStrictEqual(used, { requests: 1, completionTokens: 20 })
})

t.test('a request that was admitted before a price rise keeps its rates', async () => {
  const key = await gateway.seedKey()
  waits = new Promise((resolve) => setTimeout(resolve, Math.max(0, risesAt * 1000 + 50 - Date.now())))
  const isBefore = Date.now() < risesAt * 1000
  const { settled } = await ask(key, 'rising')
  assert.equal(settled, isBefore ? 900 : 9000)
  assert.equal((await ask(key, 'rising')).settled - settled, 9000)
  assert.equal(await gateway.aboveBound(), 0)
})
