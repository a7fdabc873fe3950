import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { timesPrices } from '@tollgate/contracts/catalog/list-prices.ts'
import type { Account } from '@tollgate/contracts/http/account.ts'
import type { LimitsResponse } from '@tollgate/contracts/http/limits.ts'
import type { PricedModelsResponse } from '@tollgate/contracts/http/offered-models.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { accountName, countFields, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { changeAccount, changeBudget } from '@tollgate/state/testing/account-state.ts'
import { test } from 'tap'
import { adjustments } from '../database/schema/audit.ts'
import { repositoryCatalog } from '../testing/control-options.ts'
import { startControl } from '../testing/start-control.ts'

test('models and limits of an account', async (t) => {
  const shipped = loadCatalogFile(repositoryCatalog)
  const { pro } = shipped.plans
  const limited = { ...pro!, limits: { ...pro!.limits, freeRequestsPerMinute: 20, freeRequestsPerDay: 50 } }
  const model = pro!.models[0]!
  const dear = { ...shipped.models[model]!, retail: timesPrices(shipped.models[model]!.prices, 3) }
  const control = await startControl({
    catalog: {
      ...shipped,
      priceGroups: { partner: 0.5 },
      models: { ...shipped.models, [model]: dear },
      plans: { ...shipped.plans, pro: { ...limited, priceGroup: 'partner' } }
    }
  })
  t.after(() => control.close())
  const ada = await control.signUp({ plan: 'pro' })
  const { limits: ofPlan, caps } = control.catalog.plans.pro!
  const read = async <Body>(path: string, cookie = ada.cookie) => {
    const { status, body } = await control.call('GET', path, { cookie })
    assert.equal(status, 200, JSON.stringify(body))
    return body as Body
  }
  const limits = () => read<LimitsResponse>('/api/limits')

  await t.test('both need an account', async () => {
    for (const path of ['/api/models', '/api/limits']) assert.equal((await control.call('GET', path)).status, 401)
  })

  await t.test('the models are those of the plan, with prices', async () => {
    const { plan, models } = await read<PricedModelsResponse>('/api/models')
    assert.equal(plan.id, 'pro')
    const own = models.filter(({ is_included }) => is_included).map(({ id }) => id)
    assert.deepEqual(own, control.catalog.plans.pro!.models)
    const bob = await control.signUp()
    const free = await read<PricedModelsResponse>('/api/models', bob.cookie)
    const missing = free.models.filter(({ is_included }) => !is_included)
    assert.ok(missing.length > 0)
    assert.ok(missing.every(({ plans }) => plans.some(({ id }) => id === 'pro')))
  })

  await t.test('the account’s own list of models has the prices that it pays, not what providers bill', async () => {
    const { account } = await read<{ account: Account }>('/api/account')
    const shown = account.models.find(({ id }) => id === model)!.usd_per_million_tokens
    assert.equal(shown.input, (dear.prices.inputPicos * 3 * 0.5) / 1e6)
    assert.equal(shown.output, (dear.prices.outputPicos * 3 * 0.5) / 1e6)
  })

  await t.test('what is left of the limits follows Redis, and reading changes nothing', async () => {
    const now = Date.now()
    await changeAccount(control.redis.client, ada.id, {
      month: monthNumber(new Date()),
      open: 3,
      reserved: 2_000_000_000,
      // Beyond the burst of any plan.
      arrival: (now + 120_000) * 1000
    })
    const content = () => control.redis.client.hgetBuffer(accountName(ada.id), 'a')
    const before = await content()
    const { limits: own } = await limits()
    assert.deepEqual(own.requests.per_minute, ofPlan.requestsPerMinute)
    assert.deepEqual([own.requests.left, own.tokens.left], [0, ofPlan.burstTokens])
    assert.ok(own.requests.full_in_ms! > 100_000)
    assert.deepEqual(own.concurrent_requests, { limit: ofPlan.concurrentRequests, in_use: 3 })
    assert.equal(own.month.reserved_usd, '2.00')
    assert.equal(Number(own.month.left_usd), caps.monthlyNanos / 1e9 - 2)
    assert.deepEqual(own.keys, { limit: control.catalog.plans.pro!.keyQuota, in_use: 0 })
    assert.deepEqual(await content(), before)
    // A credit beyond what was spent may be spent, too: admission counts so.
    const month = new Date(`${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`)
    const act = { id: randomUUID(), accountId: ada.id, actorId: ada.id, reason: 'a gift', at: new Date() }
    await control.database.orm.insert(adjustments).values({ ...act, month, nanos: -5e9 })
    assert.partialDeepStrictEqual((await limits()).limits.month, {
      spent_usd: '0.00',
      left_usd: `${caps.monthlyNanos / 1e9 + 3}.00`
    })
  })

  await t.test('requests to free models are those of this minute and this day', async () => {
    const { client } = control.redis
    const today = Math.floor(Date.now() / 86_400_000)
    await changeBudget(client, ada.id, countFields.freeOfMinute, { window: 1, settled: 5 })
    await changeBudget(client, ada.id, countFields.freeOfDay, { window: today, settled: 5, reserved: 2 })
    const { limits: own, plans } = await limits()
    assert.deepEqual(own.free_models, [
      { window: 'minute', limit: 20, left: 20 },
      { window: 'day', limit: 50, left: 43 }
    ])
    const compared = plans.map(({ free_requests_per_minute, free_requests_per_day }) => [
      free_requests_per_minute,
      free_requests_per_day
    ])
    assert.deepEqual(compared.slice(0, 2), [
      [null, null],
      [20, 50]
    ])
    const bob = await control.signUp()
    assert.deepEqual((await read<LimitsResponse>('/api/limits', bob.cookie)).limits.free_models, [])
  })

  await t.test('only the own plan and plans on sale can be compared', async () => {
    const { plans } = await limits()
    assert.deepEqual(
      plans.map(({ id, is_current }) => [id, is_current]),
      Object.entries(control.catalog.plans)
        .filter(([id, plan]) => id === 'free' || plan.prices?.some(({ isSold }) => isSold))
        .map(([id]) => [id, id === 'pro'])
    )
  })
})
