import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AccountBudget, UsedKeyBudget } from '@tollgate/contracts/http/budgets.ts'
import { windowNumber } from '@tollgate/contracts/records/budget-windows.ts'
import { readKeyRecord, type WindowBudget } from '@tollgate/contracts/records/records.ts'
import { accountName, accountShard, budgetField } from '@tollgate/state/keyspace/names.ts'
import { changeBudget, putHold, readState } from '@tollgate/state/testing/account-state.ts'
import { eq } from 'drizzle-orm'
import { accounts } from '../database/schema/accounts.ts'
import { adjustments } from '../database/schema/audit.ts'
import { keys } from '../database/schema/keys.ts'
import { projection } from '../database/schema/projection.ts'
import { budgetCounts, ledger, ledgerTotals } from '../database/schema/usage.ts'
import { oldRows } from '../retention/old-rows.ts'
import { codeOf, expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { foldLedger } from '../usage/fold-ledger.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyRound } from '../usage/usage-copier.ts'
import { countNotedBudgets, seedBudgets } from './count-budgets.ts'

const usd = 1e9
const dayMs = 86_400_000
const endless = new AbortController().signal

onDatabase('budgets with a window', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), isProjecting: true })
  t.after(() => control.close())
  const { call, database, redis } = control
  const { orm } = database
  const { client } = redis
  const copy = () =>
    copyRound(createPostgresLedger(orm), redis, Math.floor(Date.now() / 3_600_000), { signal: endless })

  async function open() {
    const user = await control.signUp({ plan: 'pro' })
    const { cookie, id: account } = user
    const newKey = async (body: object = {}) => {
      const created = await expectStatus(call('POST', '/api/keys', { cookie, body: { label: 'app', ...body } }), 201)
      return (created.body as { key: { id: string } }).key.id
    }
    const change = (key: string, budgets: object[]) =>
      expectStatus(call('PATCH', `/api/keys/${key}`, { cookie, body: { budgets } }), 200)
    const setOfAccount = (budgets: object[]) => call('PUT', '/api/account/budgets', { cookie, body: { budgets } })
    const used = async (key: string) => {
      const { body } = await expectStatus(call('GET', `/api/keys/${key}`, { cookie }), 200)
      const { budgets } = (body as { key: { budgets: UsedKeyBudget[] } }).key
      return budgets.map(({ window, use }) => `${window} ${use?.spent_usd} ${use?.reserved_usd}`)
    }
    const usedOfAccount = async () => {
      const { body } = await expectStatus(call('GET', '/api/account/budgets', { cookie }), 200)
      return (body as { budgets: AccountBudget[] }).budgets.map(({ of, use }) => `${of} ${use?.spent_usd}`)
    }
    const stored = async (key: string): Promise<WindowBudget[]> => {
      const [row] = await orm.select({ budgets: keys.budgets }).from(keys).where(eq(keys.id, key))
      return row!.budgets
    }
    return { user, cookie, account, newKey, change, setOfAccount, used, usedOfAccount, stored }
  }
  const spend = (account: string, key: string, dollars: number, changed: object = {}) =>
    serve(redis, account, { key, costNanos: dollars * usd, ...changed })

  await t.test('a new budget counts what its window spent: in the ledger, and not copied yet, each once', async () => {
    const { account, newKey, change, used, stored } = await open()
    const [key, other] = [await newKey(), await newKey()]
    await spend(account, key, 1)
    await copy()
    await spend(account, key, 2)
    await spend(account, key, 4, { model: 'large' })
    await spend(account, other, 8)
    const before = new Date(Date.now() - 40 * dayMs)
    await addLedgerMonths(orm, before)
    await orm.insert(ledger).values({
      ...{ accountId: account, hour: before, run: 'day', keyId: key, model: 'small', revision: 1 },
      costNanos: 16 * usd
    })
    await change(key, [
      { window: 'day', limit_usd: 50 },
      { window: 'month', limit_usd: 90 },
      { window: 'lifetime', limit_usd: 90 },
      { window: 'day', limit_usd: 5, models: ['gpt-4o-mini'] }
    ])
    assert.deepEqual(await used(key), ['month 7.00 0.00', 'day 7.00 0.00', 'lifetime 23.00 0.00', 'day 0.00 0.00'])
    const record = readKeyRecord((await client.hget(accountName(account), `r:${key}`))!)
    assert.deepEqual([record.monthlyBudgetNanos, record.budgets], [90 * usd, await stored(key)])
    const budgets = (await stored(key)).map(budgetField).slice(0, 2).join(' ')
    await spend(account, key, 1, { budgets })
    assert.deepEqual((await used(key)).slice(1, 3), ['day 8.00 0.00', 'lifetime 24.00 0.00'])
    // A budget with another limit stays the same budget.
    await change(key, [{ window: 'day', limit_usd: 60 }])
    assert.deepEqual(await used(key), ['day 8.00 0.00'])
    const left = (await readState(client, account)).budgets
    assert.deepEqual([...left.keys()], (await stored(key)).map(budgetField), 'removed budgets are forgotten')
  })

  await t.test('running requests that began before a budget are held in it, until they end', async () => {
    const { account, newKey, change, used } = await open()
    const key = await newKey()
    const at = Math.floor(Date.now() / 1000)
    const hold = { deadline: Date.now() + 1e6, at, granted: 1, nanos: 3 * usd, promptTokens: 1, tokens: 2 }
    const ofKey = { tokensPerMinute: 1000, tag: 'a-tag', key, model: 'small', budgets: '' }
    await putHold(client, account, 'req_before', { ...hold, ...ofKey })
    await change(key, [{ window: 'week', limit_usd: 50 }])
    assert.deepEqual(await used(key), ['week 0.00 3.00'])
    assert.equal(await orm.$count(budgetCounts, eq(budgetCounts.accountId, account)), 1)
    await spend(account, key, 2, { id: 'req_before', heldNanos: 3 * usd })
    await countNotedBudgets({ orm, redis }, account)
    assert.deepEqual(await used(key), ['week 2.00 0.00'])
    assert.equal(await orm.$count(budgetCounts, eq(budgetCounts.accountId, account)), 0)
  })

  await t.test('holds that come back with older data are held in younger budgets until they end', async () => {
    const { account, newKey, change, used, stored } = await open()
    const key = await newKey()
    await change(key, [{ window: 'lifetime', limit_usd: 50 }])
    const at = Math.floor(Date.now() / 1000)
    const hold = { deadline: Date.now() + 1e6, at, granted: 1, nanos: 3 * usd, promptTokens: 1, tokens: 2 }
    await putHold(client, account, 'req_back', {
      ...hold,
      tokensPerMinute: 1,
      tag: 'x',
      key,
      model: 'small',
      budgets: ''
    })
    await client.hdel(accountName(account), budgetField((await stored(key))[0]!))
    await seedBudgets({ orm, redis }, [accountShard(account)], endless)
    assert.deepEqual(await used(key), ['lifetime 0.00 3.00'])
    await client.hdel(accountName(account), 'h:req_back')
    await countNotedBudgets({ orm, redis }, account)
    assert.deepEqual(await used(key), ['lifetime 0.00 0.00'])
  })

  await t.test('budgets of the account and of a member count their keys', async () => {
    const { user, account, newKey, setOfAccount, usedOfAccount } = await open()
    const key = await newKey()
    await orm
      .update(keys)
      .set({ createdBy: null })
      .where(eq(keys.id, await newKey()))
    await spend(account, key, 1)
    await spend(account, 'key_of_nobody', 2)
    const ofMember = { of: 'member', member_id: user.id, window: 'day', limit_usd: 5 }
    await expectStatus(setOfAccount([{ of: 'account', window: 'week', limit_usd: 9 }, ofMember]), 200)
    assert.deepEqual(await usedOfAccount(), ['account 3.00', 'member 1.00'])
    const record = readKeyRecord((await client.hget(accountName(account), `r:${key}`))!)
    assert.equal(record.member, user.id)
    // What keys spent that are deleted for good still counts.
    await expectStatus(call('DELETE', `/api/keys/${key}`, { cookie: user.cookie }), 200)
    await orm
      .update(keys)
      .set({ revokedAt: new Date(0) })
      .where(eq(keys.id, key))
    await oldRows.keys.prune(orm, new Date(1))
    assert.equal(await orm.$count(keys, eq(keys.id, key)), 0)
    await expectStatus(setOfAccount([]), 200)
    await expectStatus(setOfAccount([ofMember]), 200)
    assert.deepEqual(await usedOfAccount(), ['member 1.00'])
    // The budget of somebody who left can stay.
    const left = randomUUID()
    const stays = { id: 999_999, window: 'day' as const, nanos: usd, member: left }
    await orm
      .update(accounts)
      .set({ budgets: [stays] })
      .where(eq(accounts.id, account))
    await expectStatus(setOfAccount([{ ...ofMember, member_id: left, limit_usd: 7 }]), 200)
    for (const wrong of [
      [{ ...ofMember, member_id: randomUUID() }],
      [{ of: 'member', window: 'day', limit_usd: 1 }],
      [ofMember, ofMember],
      [{ of: 'account', window: 'month', limit_usd: 1 }],
      [{ of: 'account', window: 'day', limit_usd: 1, models: ['unknown'] }]
    ]) {
      assert.equal(codeOf(await setOfAccount(wrong)), 'invalid_request', JSON.stringify(wrong))
    }
  })

  await t.test('corrections of usage count for the account’s budgets of a month and for ever', async () => {
    const { account, setOfAccount, usedOfAccount } = await open()
    const budget = (window: string, limit_usd = 9) => ({ of: 'account', window, limit_usd })
    await expectStatus(setOfAccount([budget('lifetime'), budget('day')]), 200)
    await spend(account, 'key_a', 4)
    const month = new Date(`${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`)
    const by = { actorId: randomUUID(), at: new Date(), reason: 'test' }
    await orm.insert(adjustments).values({ id: randomUUID(), accountId: account, month, nanos: -3 * usd, ...by })
    await expectStatus(setOfAccount([]), 200)
    await expectStatus(setOfAccount([budget('lifetime'), budget('day')]), 200)
    assert.deepEqual(await usedOfAccount(), ['account 1.00', 'account 4.00'])
  })

  await t.test('a Redis that lost its data gets them back before requests are admitted', async () => {
    const { account, newKey, change, used, stored } = await open()
    const key = await newKey()
    await change(key, [{ window: 'day', limit_usd: 50 }])
    const [budget] = await stored(key)
    await spend(account, key, 5, { budgets: budgetField(budget!) })
    await copy()
    await client.hdel(accountName(account), budgetField(budget!))
    const seed = () => seedBudgets({ orm, redis }, [accountShard(account)], endless)
    await seed()
    assert.deepEqual(await used(key), ['day 5.00 0.00'])
    // What Redis counted and the ledger lacks stays.
    const window = windowNumber('day', Date.now())
    await changeBudget(client, account, budgetField(budget!), { window, settled: 7 * usd })
    await seed()
    assert.deepEqual(await used(key), ['day 7.00 0.00'])
  })

  await t.test('a month that the ledger drops still counts for ever', async () => {
    const { account, newKey, change, used } = await open()
    const key = await newKey()
    const old = new Date(Date.UTC(2024, 1, 3))
    await addLedgerMonths(orm, old)
    await orm.insert(ledger).values({
      ...{ accountId: account, hour: old, run: 'day', keyId: key, model: 'small', revision: 1 },
      costNanos: 6 * usd
    })
    const lately = new Date(Math.floor(Date.now() / dayMs - 5) * dayMs)
    const closed = { ledgerClosedBefore: lately, ledgerFoldedBefore: lately }
    await orm.insert(projection).values(closed).onConflictDoUpdate({ target: projection.one, set: closed })
    const retention = { hoursKeptDays: 3, monthsKept: 12 }
    const { dropped } = await foldLedger(orm, retention, new Date())
    assert.ok(dropped.includes('ledger_2024_02'))
    await foldLedger(orm, retention, new Date())
    const kept = await orm.select().from(ledgerTotals).where(eq(ledgerTotals.accountId, account))
    assert.deepEqual(
      kept.map(({ keyId, costNanos }) => [keyId, costNanos]),
      [[key, 6 * usd]]
    )
    await change(key, [{ window: 'lifetime', limit_usd: 50 }])
    assert.deepEqual(await used(key), ['lifetime 6.00 0.00'])
  })

  await t.test('a key with budgets from the start has them at once, and revoking it forgets them', async () => {
    const { account, cookie, newKey, stored } = await open()
    const key = await newKey({ budgets: [{ window: 'lifetime', limit_usd: 25 }] })
    const [budget] = await stored(key)
    await changeBudget(client, account, budgetField(budget!), { window: 1, settled: 1 })
    await expectStatus(call('DELETE', `/api/keys/${key}`, { cookie }), 200)
    await countNotedBudgets({ orm, redis }, account)
    assert.equal((await readState(client, account)).budgets.size, 0)
    const both = { budgets: [{ window: 'day', limit_usd: 1 }], monthly_budget_usd: 1 }
    assert.equal(codeOf(await call('POST', '/api/keys', { cookie, body: { label: 'x', ...both } })), 'invalid_request')
  })
})
