import assert from 'node:assert/strict'
import type { UsageBucket, UsageResponse, UsageSummaryResponse } from '@tollgate/contracts/http/usage.ts'
import { isRare, shownCounters, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import { accountName, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { changeAccount } from '@tollgate/state/testing/account-state.ts'
import { eq, sql } from 'drizzle-orm'
import { accounts } from '../database/schema/accounts.ts'
import { ledger } from '../database/schema/usage.ts'
import type { Answer } from '../testing/call-control.ts'
import { onEachDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { createPostgresLedger } from './postgres-ledger.ts'
import { addLedgerMonths } from './testing/memory-ledger.ts'
import { serve } from './testing/serve.ts'
import { createUsageCopier } from './usage-copier.ts'
import { monthOf } from './usage-range.ts'

type Row = typeof ledger.$inferInsert
const quiet = { info: () => {}, warn: () => {} }

/** The members of a bucket without rare counters. */
const noRareCounts = Object.fromEntries(shownCounters.filter(isRare).map((counter) => [usageCounters[counter], 0]))

onEachDatabase('usage', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const ada = await control.signUp({ plan: 'pro' })
  const bob = await control.signUp()

  const row = (accountId: string, hour: string, changed: Partial<Row> = {}): Row => ({
    accountId,
    hour: new Date(hour),
    run: 'run-1',
    keyId: 'key_a',
    model: 'small',
    requests: 1,
    errors: 0,
    promptTokens: 10,
    cachedTokens: 4,
    completionTokens: 5,
    reasoningTokens: 2,
    costNanos: 1_000_000_001,
    revision: 1,
    ...changed
  })
  const { from, to } = monthOf(new Date())
  await addLedgerMonths(orm, '2026-02-01', '2026-03-01', '2026-04-01', new Date(from.getTime() - 1), to)
  await orm
    .insert(ledger)
    .values([
      row(ada.id, '2026-02-28T23:00:00Z'),
      row(ada.id, '2026-03-01T00:00:00Z', { requests: 2, errors: 1 }),
      row(ada.id, '2026-03-01T00:00:00Z', { run: 'run-2', requests: 3 }),
      row(ada.id, '2026-03-01T00:00:00Z', { keyId: 'key_b', model: 'large', cachedTokens: 0 }),
      row(ada.id, '2026-03-01T05:00:00Z', { model: 'large', costNanos: 5 }),
      row(ada.id, '2026-04-01T00:00:00Z'),
      row(bob.id, '2026-03-01T00:00:00Z', { requests: 1000, costNanos: Number.MAX_SAFE_INTEGER })
    ])
  const usage = async (query: string, cookie = ada.cookie): Promise<UsageResponse> => {
    const answer = await call('GET', `/api/usage?${query}`, { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as UsageResponse
  }
  const march = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z'
  const brief = ({ start, model, key_id, requests, cost_usd }: UsageBucket) =>
    [start.slice(0, 13), model ?? key_id ?? '', requests, cost_usd] as const

  await t.test('a monthly bucket sums all keys, models and runs of its month only', async () => {
    assert.deepEqual(await usage(`${march}&interval=month`), {
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      interval: 'month',
      group_by: 'none',
      buckets: [
        {
          start: '2026-03-01T00:00:00.000Z',
          requests: 7,
          errors: 1,
          prompt_tokens: 40,
          cached_tokens: 12,
          completion_tokens: 20,
          reasoning_tokens: 8,
          ...noRareCounts,
          cost_usd: '3.000000008'
        }
      ]
    })
  })

  await t.test('hours, days and months begin in UTC', async () => {
    const wide = 'from=2026-02-01T00:00:00Z&to=2026-04-02T00:00:00Z'
    assert.deepEqual((await usage(`${march}&interval=hour`)).buckets.map(brief), [
      ['2026-03-01T00', '', 6, '3.000000003'],
      ['2026-03-01T05', '', 1, '0.000000005']
    ])
    assert.deepEqual((await usage(`${wide}&interval=day`)).buckets.map(brief), [
      ['2026-02-28T00', '', 1, '1.000000001'],
      ['2026-03-01T00', '', 7, '3.000000008'],
      ['2026-04-01T00', '', 1, '1.000000001']
    ])
    assert.deepEqual((await usage(`${wide}&interval=month`)).buckets.map(brief), [
      ['2026-02-01T00', '', 1, '1.000000001'],
      ['2026-03-01T00', '', 7, '3.000000008'],
      ['2026-04-01T00', '', 1, '1.000000001']
    ])
  })

  await t.test('usage can be grouped by model or by key', async () => {
    assert.deepEqual((await usage(`${march}&interval=day&group_by=model`)).buckets.map(brief), [
      ['2026-03-01T00', 'large', 2, '1.000000006'],
      ['2026-03-01T00', 'small', 5, '2.000000002']
    ])
    assert.deepEqual((await usage(`${march}&interval=day&group_by=key`)).buckets.map(brief), [
      ['2026-03-01T00', 'key_a', 6, '2.000000007'],
      ['2026-03-01T00', 'key_b', 1, '1.000000001']
    ])
  })

  await t.test('usage by key names exactly its keys, including revoked ones', async () => {
    const created = async (label: string, cookie: string) => {
      const { body } = await call('POST', '/api/keys', { cookie, body: { label } })
      return (body as { key: { id: string } }).key.id
    }
    const gina = await control.signUp({ plan: 'pro' })
    const [first, second, theirs] = [
      await created('Same', gina.cookie),
      await created('Same', gina.cookie),
      await created('Not hers', bob.cookie)
    ]
    await created('Unused', gina.cookie)
    await orm
      .insert(ledger)
      .values([first, second, theirs].map((keyId) => row(gina.id, '2026-03-01T00:00:00Z', { keyId })))
    assert.equal((await call('DELETE', `/api/keys/${first}`, { cookie: gina.cookie })).status, 200)
    const { keys = [] } = await usage(`${march}&group_by=key`, gina.cookie)
    assert.deepEqual(
      new Map(keys.map(({ id, label }) => [id, label])),
      new Map([first, second].map((id) => [id, 'Same']))
    )
    assert.equal(new Set(keys.map(({ prefix }) => prefix)).size, 2)
    assert.deepEqual((await usage(`${march}&group_by=key`)).keys, [])
    assert.equal((await usage(march, gina.cookie)).keys, undefined)
  })

  await t.test('nobody sees the usage of another account', async () => {
    assert.deepEqual((await usage(`${march}&interval=month`, bob.cookie)).buckets.map(brief), [
      ['2026-03-01T00', '', 1000, '9007199.254740991']
    ])
    assert.equal((await call('GET', '/api/usage')).status, 401)
    assert.equal((await call('GET', '/api/usage/summary')).status, 401)
  })

  await t.test('an invalid query is refused with the reason', async () => {
    const cases: Array<[query: string, message: RegExp]> = [
      ['from=yesterday', /^from: /],
      ['from=2026-03-01', /^from: /],
      ['from=2026-03-01T00:00:00', /^from: /],
      ['from=2026-13-01T00:00:00Z', /^from: /],
      ['interval=week', /^interval: /],
      ['group_by=account', /^group_by: /],
      ['interval=day&interval=hour', /^interval: /],
      ['until=2026-03-01T00:00:00Z', /^until: unknown member/],
      ['from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z', /^from: must be before to/],
      ['from=2010-01-01T00:00:00Z&interval=hour', /^from: more than 10000 buckets/]
    ]
    for (const [query, message] of cases) {
      const answer = await call('GET', `/api/usage?${query}`, { cookie: ada.cookie })
      assert.equal(answer.status, 400, query)
      const { error } = answer.body as { error: { code: string; message: string } }
      assert.equal(error.code, 'invalid_request', query)
      assert.match(error.message, message, query)
    }
  })

  await t.test('a query whose groups make too many buckets is refused', async () => {
    const cleo = await control.signUp()
    // 101 hours with 100 models each.
    await orm.execute(sql`
      insert into ledger
      select ${cleo.id}::uuid, timestamptz '2026-03-01T00:00Z' + hour * interval '1 hour', 'run-1', 'key_a', 'm' || model,
        1, 0, 1, 0, 1, 1, 1
      from generate_series(0, 100) as hour, generate_series(1, 100) as model`)
    const query = 'from=2026-03-01T00:00:00Z&interval=hour&group_by=model&to='
    const answer = await call('GET', `/api/usage?${query}2026-03-31T00:00:00Z`, { cookie: cleo.cookie })
    assert.equal(answer.status, 400)
    assert.equal((await usage(`${query}2026-03-05T04:00:00Z`, cleo.cookie)).buckets.length, 10_000)
  })

  await t.test('the summary shows the spend of this month, the cap and when the month resets', async () => {
    const summary = async () => {
      const answer: Answer = await call('GET', '/api/usage/summary', { cookie: ada.cookie })
      assert.equal(answer.status, 200)
      return answer.body as UsageSummaryResponse
    }
    const month = monthOf(new Date())
    const planCap = control.catalog.plans.pro!.caps.monthlyNanos
    assert.ok(planCap > 2_000_000_000)
    const before = await summary()
    assert.equal(before.from, month.from.toISOString())
    assert.equal(before.resets_at, month.to.toISOString())
    assert.equal(before.spent_usd, '0.00')
    assert.equal(before.reserved_usd, '0.00')
    assert.equal(Number(before.cap_usd), planCap / 1e9)

    await orm
      .insert(ledger)
      .values([
        row(ada.id, month.from.toISOString()),
        row(ada.id, new Date(month.to.getTime() - 3_600_000).toISOString(), { costNanos: 500_000_000 }),
        row(ada.id, month.to.toISOString()),
        row(ada.id, new Date(month.from.getTime() - 3_600_000).toISOString())
      ])
    await orm.update(accounts).set({ ownCapNanos: 2_000_000_000 }).where(eq(accounts.id, ada.id))
    const after = await summary()
    assert.equal(after.spent_usd, '1.500000001')
    assert.equal(after.cap_usd, '2.00')
    await orm
      .update(accounts)
      .set({ ownCapNanos: planCap + 1 })
      .where(eq(accounts.id, ada.id))
    assert.equal(Number((await summary()).cap_usd), planCap / 1e9)
  })

  await t.test('the summary shows the spend of today, and a forecast after three days of usage', async () => {
    const cleo = await control.signUp({ plan: 'pro' })
    const summary = async () =>
      (await call('GET', '/api/usage/summary', { cookie: cleo.cookie })).body as UsageSummaryResponse
    const now = new Date()
    const today = Math.floor(now.getTime() / 86_400_000)
    const spend = (daysAgo: number, costNanos: number) =>
      orm.insert(ledger).values(row(cleo.id, new Date((today - daysAgo) * 86_400_000).toISOString(), { costNanos }))
    await spend(0, 500_000_000)
    for (const day of [1, 2]) await spend(day, 3_000_000_000)
    const early = await summary()
    assert.deepEqual([early.today_usd, early.forecast_usd], ['0.50', null])
    await spend(3, 3_000_000_000)
    await spend(8, 70_000_000_000)
    const { spent_usd, forecast_usd } = await summary()
    const restDays = (monthOf(now).to.getTime() - now.getTime()) / 86_400_000
    assert.ok(Math.abs(Number(forecast_usd) - (Number(spent_usd) + 3 * restDays)) < 0.05, String(forecast_usd))
  })

  await t.test('settled usage is in the summary at once and in the reports soon after', async () => {
    const dora = await control.signUp({ plan: 'pro' })
    const { redis } = control
    const get = async <Body>(path: string) => {
      const { status, body } = await call('GET', path, { cookie: dora.cookie })
      assert.equal(status, 200, JSON.stringify(body))
      return body as Body
    }
    const summary = () => get<UsageSummaryResponse>('/api/usage/summary')
    const copier = createUsageCopier({ ledger: createPostgresLedger(orm), redis, log: quiet, intervalMs: 5 })

    // One request is running, one is settled.
    await changeAccount(redis.client, dora.id, { month: monthNumber(new Date()), reserved: 5_000_000 })
    const one = await serve(redis, dora.id, { costNanos: 1_000_000_007, estimated: true })
    const { spent_usd, reserved_usd } = await summary()
    assert.deepEqual([spent_usd, reserved_usd], ['1.000000007', '0.005'])
    assert.deepEqual((await get<UsageResponse>('/api/usage?interval=hour')).buckets, [])

    copier.start()
    try {
      let buckets: UsageBucket[] = []
      while (buckets.length === 0) {
        // With PGlite a whole request runs within one turn of the event loop, so timers would never be due.
        await new Promise((resolve) => setImmediate(resolve))
        buckets = (await get<UsageResponse>('/api/usage?interval=hour&group_by=model')).buckets
      }
      const start = new Date(Math.floor(one.at / 3600) * 3_600_000).toISOString()
      assert.deepEqual(buckets, [
        {
          start,
          model: one.model,
          requests: 1,
          errors: 0,
          prompt_tokens: 10,
          cached_tokens: 4,
          completion_tokens: 5,
          reasoning_tokens: 2,
          ...noRareCounts,
          cost_usd: '1.000000007'
        }
      ])
    } finally {
      await copier.stop()
    }
    // After Redis was emptied, the ledger's spend still counts.
    await redis.client.del(accountName(dora.id))
    assert.equal((await summary()).spent_usd, '1.000000007')
    await changeAccount(redis.client, dora.id, { month: monthNumber(new Date()), settled: 1 })
    assert.equal((await summary()).spent_usd, '1.000000007')
  })

  await t.test('a correction that is copied before the corrected row makes nothing negative', async () => {
    const emil = await control.signUp()
    const month = monthOf(new Date())
    await orm
      .insert(ledger)
      .values(row(emil.id, month.from.toISOString(), { requests: 0, promptTokens: -5, costNanos: -70 }))
    const { buckets } = await usage(`from=${month.from.toISOString()}&interval=month`, emil.cookie)
    assert.deepEqual([buckets[0]!.prompt_tokens, buckets[0]!.cost_usd], [0, '0.00'])
    const { body } = await call('GET', '/api/usage/summary', { cookie: emil.cookie })
    assert.equal((body as UsageSummaryResponse).spent_usd, '0.00')
  })

  await t.test('without Redis the summary shows the spend of the ledger and nothing reserved', async () => {
    const fay = await control.signUp()
    const month = monthOf(new Date())
    await orm.insert(ledger).values(row(fay.id, month.from.toISOString(), { costNanos: 20_000_000 }))
    const present = monthNumber(new Date())
    await changeAccount(control.redis.client, fay.id, { month: present, settled: 50_000_000, reserved: 7 })
    const summary = async () => {
      const { status, body } = await call('GET', '/api/usage/summary', { cookie: fay.cookie })
      assert.equal(status, 200)
      const { spent_usd, reserved_usd } = body as UsageSummaryResponse
      return [spent_usd, reserved_usd]
    }
    assert.deepEqual(await summary(), ['0.05', '0.000000007'])
    await control.redis.close()
    assert.deepEqual(await summary(), ['0.02', '0.00'])
  })
})
