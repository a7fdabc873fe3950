import assert from 'node:assert/strict'
import type { OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import type { AuditResponse } from '@tollgate/contracts/http/audit.ts'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

onDatabase('an operator changes an account', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const operator = await control.signUpOperator()
  const change = (id: string, body: object) =>
    call('PATCH', `/api/admin/accounts/${id}`, { cookie: operator.cookie, body: { reason: 'agreed by mail', ...body } })
  const record = async (id: string) => readAccountRecord((await control.redis.client.hget(accountName(id), 'r'))!)
  const account = async (cookie: string) =>
    ((await call('GET', '/api/account', { cookie })).body as { account: Record<string, unknown> }).account

  await t.test('a plan override applies at once, everywhere, and ends at its time', async () => {
    const user = await control.signUp()
    const endsAt = new Date(Date.now() + 3000).toISOString()
    assert.equal((await change(user.id, { plan: { id: 'pro', ends_at: endsAt } })).status, 200)
    assert.equal((await account(user.cookie)).plan, 'pro')
    assert.equal((await account(user.cookie)).plan_monthly_budget_usd, 100)
    assert.deepEqual(await record(user.id), {
      plan: 'free',
      status: 'active',
      ownCapNanos: null,
      override: { plan: { id: 'pro', until: Date.parse(endsAt) } }
    })
    for (const label of ['one', 'two']) {
      assert.equal((await call('POST', '/api/keys', { cookie: user.cookie, body: { label } })).status, 201)
    }
    while ((await account(user.cookie)).plan === 'pro') await control.overrideEnder.runOnce()
    assert.ok(Date.now() >= Date.parse(endsAt), 'not before its end')
    assert.equal((await account(user.cookie)).plan, 'free')
    assert.deepEqual(await record(user.id), { plan: 'free', status: 'active', ownCapNanos: null })
  })

  await t.test('a clock of control that is ahead ends no override early', async () => {
    const user = await control.signUp()
    const endsAt = new Date(Date.now() + 3_600_000).toISOString()
    assert.equal((await change(user.id, { plan: { id: 'pro', ends_at: endsAt } })).status, 200)
    control.passTime(2 * 3_600_000)
    await control.overrideEnder.runOnce()
    assert.equal((await account(await control.signIn(user))).plan, 'pro')
    operator.cookie = await control.signIn(operator)
  })

  await t.test('a change of the account’s own plan below an override shows when the override is removed', async () => {
    const user = await control.signUp()
    assert.equal((await change(user.id, { plan: { id: 'enterprise', ends_at: null } })).status, 200)
    await control.setPlan(user.id, 'pro')
    const cookie = await control.signIn(user)
    assert.equal((await account(cookie)).plan, 'enterprise')
    assert.equal((await change(user.id, { plan: null })).status, 200)
    assert.equal((await account(cookie)).plan, 'pro')
  })

  await t.test('own limits replace the plan’s; the owner’s cap stays below them', async () => {
    const user = await control.signUp()
    const limits = { monthly_budget_usd: 250.5, key_quota: 2, requests_per_minute: 7, ends_at: null }
    assert.equal((await change(user.id, { limits })).status, 200)
    assert.equal((await account(user.cookie)).plan_monthly_budget_usd, 250.5)
    const summary = await call('GET', '/api/usage/summary', { cookie: user.cookie })
    assert.equal((summary.body as { cap_usd: string }).cap_usd, '250.50')
    const setCap = (usd: number) =>
      call('PATCH', '/api/account', { cookie: user.cookie, body: { monthly_budget_usd: usd } })
    assert.equal((await setCap(250.51)).status, 400)
    assert.equal((await setCap(200)).status, 200)
    assert.deepEqual((await record(user.id)).override, {
      limits: { monthlyNanos: 250_500_000_000, requestsPerMinute: 7, until: null }
    })
    const create = (label: string) => call('POST', '/api/keys', { cookie: user.cookie, body: { label } })
    assert.deepEqual([(await create('one')).status, (await create('two')).status], [201, 201])
    assert.equal(codeOf(await create('three')), 'key_quota_exceeded')
    assert.equal((await change(user.id, { limits: null })).status, 200)
    assert.equal((await record(user.id)).override, undefined)
  })

  await t.test('both audit logs say who changed what, and why', async () => {
    const user = await control.signUp()
    assert.equal((await change(user.id, { plan: { id: 'pro', ends_at: null } })).status, 200)
    const own = (await call('GET', '/api/audit', { cookie: user.cookie })).body as AuditResponse
    const [entry] = own.entries.filter(({ action }) => action === 'account.overridden')
    assert.equal(entry!.actor_id, operator.id)
    assert.deepEqual(entry!.detail, { plan: 'pro', plan_ends_at: null, note: 'agreed by mail' })
    const path = `/api/admin/audit?account_id=${user.id}`
    const acts = (await call('GET', path, { cookie: operator.cookie })).body as OperatorActsResponse
    assert.equal(acts.entries.length, 1)
    const { action, reason, account_email: of, actor_email: by } = acts.entries[0]!
    assert.deepEqual([action, reason, of, by], ['account.overridden', 'agreed by mail', user.email, operator.email])
  })

  await t.test('what cannot be is refused and changes nothing', async () => {
    const user = await control.signUp()
    const before = await record(user.id)
    for (const [wrong, field] of [
      [{}, 'plan'],
      [{ plan: { id: 'enterprice', ends_at: null } }, 'plan.id'],
      [{ plan: { id: 'pro', ends_at: new Date(0).toISOString() } }, 'plan.ends_at'],
      [{ limits: { ends_at: null } }, 'limits'],
      [{ limits: { monthly_budget_usd: 0.0000000001, ends_at: null } }, 'limits.monthly_budget_usd'],
      [{ limits: { requests_per_minute: 0, ends_at: null } }, 'limits'],
      [{ reason: '', plan: null }, 'reason']
    ] as const) {
      const answer = await change(user.id, wrong)
      assert.equal(answer.status, 400, JSON.stringify(wrong))
      assert.match(JSON.stringify(answer.body), new RegExp(field.replaceAll('.', '.')))
    }
    for (const unknown of [crypto.randomUUID(), 'x', '..%2Faudit']) {
      assert.equal((await change(unknown, { plan: null })).status, 404)
    }
    const byUser = { cookie: user.cookie, body: { reason: 'mine', plan: { id: 'enterprise', ends_at: null } } }
    assert.equal((await call('PATCH', `/api/admin/accounts/${user.id}`, byUser)).status, 404)
    assert.deepEqual(await record(user.id), before)
  })
})
