import assert from 'node:assert/strict'
import type { Account } from '@tollgate/contracts/http/account.ts'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import type { LiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const accountOf = (answer: Answer) => (answer.body as { account: Account }).account

onDatabase('account', async (t, newDatabase) => {
  let upstreams: LiveUpstreams | null = null
  const control = await startControl({ databaseUrl: await newDatabase(), liveUpstreams: async () => upstreams })
  t.after(() => control.close())
  const { call } = control
  const { cookie, id } = await control.signUp({ plan: 'pro' })
  const read = async () => accountOf(await call('GET', '/api/account', { cookie }))
  const set = (monthly_budget_usd: unknown) => call('PATCH', '/api/account', { cookie, body: { monthly_budget_usd } })
  const record = async () => readAccountRecord((await control.redis.client.hget(accountName(id), 'r'))!)
  const row = async () =>
    (
      await queryRows<{ cap: string | null; version: string }>(
        control.database.orm,
        sql`select own_cap_nanos::text as cap, version::text from accounts where id = ${id}`
      )
    )[0]!

  await t.test('the answer is about the account that the caller acts for', async () => {
    const { models, ...account } = await read()
    assert.deepEqual(account, {
      id,
      plan: 'pro',
      status: 'active',
      role: 'owner',
      monthly_budget_usd: null,
      plan_monthly_budget_usd: 100
    })
    assert.deepEqual(
      models.map((model) => model.id),
      control.catalog.plans.pro!.models
    )
    assert.deepEqual(
      models.find((model) => model.id === 'gpt-4o-mini'),
      {
        id: 'gpt-4o-mini',
        kind: 'chat',
        usd_per_million_tokens: { input: 0.15, cached_input: 0.075, output: 0.6, reasoning: 0.6 }
      }
    )
  })

  await t.test('models that every running gateway leaves out are not offered', async () => {
    upstreams = {
      served: new Set(['anthropic']),
      leftOut: new Set(['openai', 'google']),
      withoutListPrices: 0,
      withoutAddresses: 0,
      withoutBudgets: 0
    }
    const offered = (await read()).models.map((model) => model.id)
    const owners = new Set(offered.map((name) => control.catalog.models[name]!.ownedBy))
    assert.ok(owners.has('anthropic') && !owners.has('openai') && !owners.has('google'))
    assert.ok(owners.has('mistral'), 'an upstream that no gateway knows is a fault, and hides nothing')
    upstreams = null
    assert.deepEqual((await read()).models.length, control.catalog.plans.pro!.models.length)
  })

  await t.test('of two changes from the same state, the second is told of the first', async () => {
    const change = (usd: number | null, seen: number | null) =>
      call('PATCH', '/api/account', { cookie, body: { monthly_budget_usd: usd, if_monthly_budget_usd: seen } })
    assert.equal((await change(20, null)).status, 200)
    const late = await change(30, null)
    assert.deepEqual([late.status, codeOf(late)], [409, 'budget_changed'])
    assert.equal((await read()).monthly_budget_usd, 20)
    assert.equal((await change(20, null)).status, 200, 'a repeated call changes nothing')
    assert.equal((await change(30, 20)).status, 200)
    assert.equal((await set(null)).status, 200, 'without it, the last change counts')
  })

  await t.test('an own cap is stored exactly, written to Redis, and recorded in the audit log', async () => {
    const answer = await set(12.345678901)
    assert.equal(answer.status, 200)
    assert.equal(accountOf(answer).monthly_budget_usd, 12.345678901)
    assert.equal((await read()).monthly_budget_usd, 12.345678901)
    assert.equal((await row()).cap, '12345678901')
    assert.deepEqual(await record(), { plan: 'pro', status: 'active', ownCapNanos: 12_345_678_901 })
    const [entry] = await queryRows<{ action: string; detail: unknown; actor: string; ip: string }>(
      control.database.orm,
      sql`select action, detail, actor_id::text as actor, ip from audit_log where account_id = ${id} order by id desc limit 1`
    )
    assert.deepEqual(
      { ...entry },
      {
        action: 'account.updated',
        detail: { monthly_budget_usd: 12.345678901, monthly_budget_usd_before: null },
        actor: id,
        ip: '127.0.0.1'
      }
    )
  })

  await t.test('a repeated cap changes nothing; 0 is a cap; null removes it', async () => {
    const { version } = await row()
    assert.equal((await set(12.345678901)).status, 200)
    assert.equal((await row()).version, version)
    assert.equal(accountOf(await set(0)).monthly_budget_usd, 0)
    assert.equal((await record()).ownCapNanos, 0)
    assert.equal(accountOf(await set(100)).monthly_budget_usd, 100)
    assert.equal(accountOf(await set(null)).monthly_budget_usd, null)
    assert.equal((await record()).ownCapNanos, null)
  })

  await t.test(
    'a cap above the plan’s, with too many decimals, or not a number is refused and changes nothing',
    async () => {
      await set(7)
      for (const wrong of [100.000000001, 1e6, 1e9, -1, -1e-9, 1e-10, 0.1234567891, '7', true, [], {}, undefined]) {
        const answer = await set(wrong)
        assert.equal(answer.status, 400, String(wrong))
        assert.equal((answer.body as { error: { code: string } }).error.code, 'invalid_request')
        assert.match(JSON.stringify(answer.body), /monthly_budget_usd/)
      }
      const extra = await call('PATCH', '/api/account', { cookie, body: { monthly_budget_usd: 1, plan: 'enterprise' } })
      assert.equal(extra.status, 400)
      assert.equal((await read()).monthly_budget_usd, 7)
      assert.equal((await call('PATCH', '/api/account', { body: { monthly_budget_usd: 1 } })).status, 401)
    }
  )

  await t.test('a cap stays when the plan is lowered; one of several concurrent changes applies', async () => {
    const caps = Array.from({ length: 8 }, (_, index) => index + 1)
    for (const { status } of await Promise.all(caps.map(set))) assert.equal(status, 200)
    const { monthly_budget_usd } = await read()
    assert(caps.includes(monthly_budget_usd as number))
    assert.equal((await record()).ownCapNanos, (monthly_budget_usd as number) * 1e9)
    await set(50)
    await control.database.orm.execute(sql`update accounts set plan = 'free' where id = ${id}`)
    assert.equal((await read()).monthly_budget_usd, 50)
    assert.equal((await read()).plan_monthly_budget_usd, 1)
    assert.equal((await set(2)).status, 400)
    assert.equal((await set(1)).status, 200)
  })
})
