import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { accountEvents, type EventData } from '@tollgate/contracts/events/event-types.ts'
import type { EventsResponse } from '@tollgate/contracts/http/notices.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import { correctBudgets, readBudgetsAndUsage } from '@tollgate/state/spend/budgets.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { Value } from 'typebox/value'
import { accounts, members } from '../database/schema/accounts.ts'
import { adjustments } from '../database/schema/audit.ts'
import { keys } from '../database/schema/keys.ts'
import { events, noticeSettings, openRefusals, spendChecks, toldWindows } from '../database/schema/notices.ts'
import { ledger } from '../database/schema/usage.ts'
import { expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyRound } from '../usage/usage-copier.ts'
import { type CheckDelays, claimChecks, noteBudget, noteCopiedUsage, noteSpend } from './spend-checks.ts'
import { createSpendWatcher, performChecks } from './spend-watcher.ts'

const usd = 1e9
const atOnce: CheckDelays = { budget: 0, hour: 0, forecast: 0 }
const quiet = { info: () => {}, warn: () => {} }

onDatabase('the spend of accounts is watched', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), isProjecting: true })
  t.after(() => control.close())
  const { call, database, redis, spendWatcher, catalog } = control
  const { orm } = database
  const sources = { orm, redis, catalog }
  const never = new AbortController().signal
  const noted = noteCopiedUsage(createPostgresLedger(orm), orm, atOnce, () => new Date())

  /** An account with a budget of $100, and a key with one of $10. */
  async function open() {
    const user = await control.signUp({ plan: 'pro' })
    const { cookie } = user
    const own = { monthly_budget_usd: 20 }
    await expectStatus(call('PATCH', '/api/account', { cookie, body: own }), 200)
    const body = { label: 'an app', monthly_budget_usd: 10, metadata: { tenant: '7' } }
    const created = await expectStatus(call('POST', '/api/keys', { cookie, body }), 201)
    const { id: key } = (created.body as { key: { id: string } }).key
    // Budgets that just changed are checked some seconds later.
    await orm.delete(spendChecks)
    const spend = async (dollars: number) => {
      await serve(redis, user.id, { key, costNanos: dollars * usd })
      await copyRound(noted, redis, Math.floor(Date.now() / 3_600_000), { signal: never })
    }
    const told = async () => {
      const rows = await orm.select().from(events).where(eq(events.accountId, user.id)).orderBy(events.at, events.id)
      return rows
        .filter(({ type }) => type === 'budget.threshold')
        .map(({ data }) => data as { scope: string; percent: number; spent_usd: string })
        .map(({ scope, percent, spent_usd }) => [scope, percent, spent_usd])
        .toSorted()
    }
    return { ...user, key, spend, told }
  }
  /** Checks that are not due yet are due. */
  const dueNow = () => orm.update(spendChecks).set({ dueAt: new Date(0), leaseEndsAt: null })

  await t.test('thresholds of the account and the key, each once, and a jump is one', async () => {
    const { id, key, spend, told } = await open()
    await spend(4)
    await spendWatcher.runOnce()
    assert.deepEqual(await told(), [])
    await spend(5)
    await spendWatcher.runOnce()
    await spendWatcher.runOnce()
    assert.deepEqual(await told(), [['key', 80, '9.00']])
    await spend(11)
    for (const _replica of [1, 2]) await spendWatcher.runOnce()
    assert.deepEqual(await told(), [
      ['account', 100, '20.00'],
      ['key', 100, '20.00'],
      ['key', 80, '9.00']
    ])
    const [event] = await orm
      .select()
      .from(events)
      .where(
        eq(
          events.once,
          `budget.threshold:${id}:${key}:${new Date().toISOString().slice(0, 7)}:80:${10 * usd}:${9 * usd}`
        )
      )
    assert.partialDeepStrictEqual(event?.data, { key: { id: key, label: 'an app', metadata: { tenant: '7' } } })
    assert.equal(await orm.$count(spendChecks, eq(spendChecks.accountId, id)), 0)
  })

  await t.test('a key has thresholds of its own, or those of the account for all keys', async () => {
    const { key, cookie, spend, told } = await open()
    const ofKey = async () => {
      await dueNow()
      await spendWatcher.runOnce()
      return (await told()).flatMap(([scope, percent]) => (scope === 'key' ? [percent] : []))
    }
    const change = (path: string, body: object) => expectStatus(call('PATCH', path, { cookie, body }), 200)
    await change('/api/account/notifications', { key_thresholds: [60] })
    await change(`/api/keys/${key}`, { thresholds: [30, 20] })
    await spend(2.5)
    assert.deepEqual(await ofKey(), [20])
    await spend(3.5)
    assert.deepEqual(await ofKey(), [20, 30])
    await change(`/api/keys/${key}`, { thresholds: [] })
    assert.deepEqual(await ofKey(), [20, 30])
    await change(`/api/keys/${key}`, { thresholds: null })
    assert.deepEqual(await ofKey(), [20, 30, 60])
  })

  await t.test('a budget that refuses requests counts as used up from 90 % on, and is told once', async () => {
    const { id, key, spend, told } = await open()
    const at = new Date()
    const refusing = { accountId: id, keyId: key, code: 'key_budget_exceeded', since: at, lastAt: at, count: 1 }
    await orm.insert(openRefusals).values(refusing)
    const tell = async (dollars: number) => {
      await spend(dollars)
      await spendWatcher.runOnce()
      return (await told()).filter(([scope]) => scope === 'key')
    }
    assert.deepEqual(await tell(8.5), [['key', 80, '8.50']])
    const usedUp = [
      ['key', 80, '8.50'],
      ['key', 100, '9.20']
    ]
    assert.deepEqual((await tell(0.7)).toSorted(), usedUp.toSorted())
    assert.equal((await tell(0.77)).length, 2)
  })

  await t.test('many replicas that check at once tell once, also after a death in between', async () => {
    const { id, key, spend, told } = await open()
    await spend(17)
    const due = () => [
      { account: id, kind: 'budget' as const, key: '', due: '' },
      { account: id, kind: 'budget' as const, key, due: '' }
    ]
    // A replica that dies after the events and before it removes the check leaves the check.
    const now = new Date()
    await Promise.all(Array.from({ length: 4 }, () => performChecks(sources, due(), now)))
    const replicas = Array.from({ length: 3 }, () => createSpendWatcher({ ...sources, clock: () => now, log: quiet }))
    await Promise.all(replicas.map((replica) => replica.runOnce()))
    assert.deepEqual(await told(), [
      ['account', 80, '17.00'],
      ['key', 100, '17.00']
    ])
  })

  await t.test('a raised budget is not told again, and a lower one, an adjustment or a new threshold is', async () => {
    const { id, cookie, spend, told } = await open()
    await spend(10)
    await spendWatcher.runOnce()
    const budget = async (dollars: number) => {
      await expectStatus(call('PATCH', '/api/account', { cookie, body: { monthly_budget_usd: dollars } }), 200)
      await dueNow()
      await spendWatcher.runOnce()
      return (await told()).filter(([scope]) => scope === 'account').map(([, percent]) => percent)
    }
    assert.deepEqual(await budget(20), [50])
    assert.deepEqual(await budget(15), [50])
    assert.deepEqual(await budget(12), [50, 80])
    assert.deepEqual(await budget(30), [50, 80])
    const row = { id: randomUUID(), accountId: id, actorId: id, reason: 'a charge', at: new Date() }
    const month = new Date(`${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`)
    await orm.transaction(async (tx) => {
      await tx.insert(adjustments).values({ ...row, month, nanos: 14 * usd })
      await noteBudget(tx, id, null)
    })
    assert.deepEqual(await budget(31), [50, 50, 80])
    const body = { thresholds: [70, 90] }
    await expectStatus(call('PATCH', '/api/account/notifications', { cookie, body }), 200)
    assert.partialDeepStrictEqual(await orm.select().from(noticeSettings).where(eq(noticeSettings.accountId, id)), [
      { thresholds: [70, 90], keyThresholds: null }
    ])
    assert.deepEqual(await budget(26), [50, 50, 80, 90])
  })

  await t.test('the next month begins with nothing told, by the ledger while Redis has no spend of it', async () => {
    const { id, key, spend, told } = await open()
    await spend(20)
    await spendWatcher.runOnce()
    assert.equal((await told()).length, 2)
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1, 0, 0, 30))
    const check = { account: id, kind: 'budget' as const, key: '', due: '' }
    await performChecks(sources, [check, { ...check, key }], next)
    assert.equal((await told()).length, 2)
    await addLedgerMonths(orm, next.toISOString().slice(0, 10))
    const hour = new Date(Math.floor(next.getTime() / 3_600_000) * 3_600_000)
    await orm
      .insert(ledger)
      .values({ accountId: id, hour, run: 'r', keyId: key, model: 'm', revision: 1, costNanos: 12 * usd })
    const away = { ...redis, isReady: () => false } as typeof redis
    await performChecks({ ...sources, redis: away }, [check, { ...check, key }], next)
    assert.deepEqual(
      (await told()).filter(([, , spent]) => spent === '12.00'),
      [
        ['account', 50, '12.00'],
        ['key', 100, '12.00']
      ]
    )
  })

  await t.test('a forecast above the budget is told once, and unusual spend once a day', async () => {
    const { id } = await open()
    const now = new Date('2026-06-20T12:30:00Z')
    await addLedgerMonths(orm, '2026-06-01')
    const hourOf = (day: number, hour = 0) => new Date(Date.UTC(2026, 5, day, hour))
    const row = { accountId: id, run: 'r', keyId: 'k', model: 'm', revision: 1 }
    const days = Array.from({ length: 7 }, (_, n) => ({ ...row, hour: hourOf(13 + n), costNanos: 1.2 * usd }))
    await orm.insert(ledger).values(days)
    const checks = (['forecast', 'hour'] as const).map((kind) => ({ account: id, kind, key: '', due: '' }))
    for (const _time of [1, 2])
      await performChecks({ ...sources, redis: { ...redis, isReady: () => false } as typeof redis }, checks, now)
    const ofType = async (type: 'budget.forecast' | 'spend.unusual') =>
      (await orm.select().from(events).where(eq(events.type, type)))
        .filter(({ accountId, data }) => accountId === id || (data as { account_id?: string }).account_id === id)
        .map(({ data }) => data)
    // $8.40, and $1.20 a day for 10.479 days.
    assert.partialDeepStrictEqual(await ofType('budget.forecast'), [{ spent_usd: '8.40', forecast_usd: '20.975' }])
    assert.deepEqual(await ofType('spend.unusual'), [])
    await orm.insert(ledger).values({ ...row, hour: hourOf(20, 11), costNanos: 11 * usd })
    await orm.insert(ledger).values({ ...row, hour: hourOf(20, 12), costNanos: 60 * usd })
    for (const _time of [1, 2]) await performChecks(sources, checks, now)
    assert.deepEqual(await ofType('spend.unusual'), [
      { account_id: id, hour: '2026-06-20T11:00:00.000Z', spent_usd: '11.00', usual_usd: '1.20' }
    ])
  })

  /** Corrects what a budget has spent. */
  async function correct(account: string, budget: WindowBudget, dollars: number) {
    const { budgets } = await readBudgetsAndUsage(redis, account, [budgetField(budget)])
    const found = budgets.map((seen) => ({ seen, settled: seen.settled + dollars * usd, reserved: seen.reserved }))
    assert.deepEqual(await correctBudgets(redis, account, found), [true])
  }

  /** An account with a key and budgets with a window, in their order. */
  async function openWindows(ofKey: object[], ofAccount: object[]) {
    const { id, cookie, key, told: toldMonthly } = await open()
    const change = async (path: string, method: 'PATCH' | 'PUT', list: object[]) =>
      await expectStatus(call(method, path, { cookie, body: { budgets: list } }), 200)
    const changeKey = (list: object[]) => change(`/api/keys/${key}`, 'PATCH', list)
    await changeKey(ofKey)
    await change('/api/account/budgets', 'PUT', ofAccount)
    await orm.delete(spendChecks)
    const [row] = await orm.select({ budgets: keys.budgets }).from(keys).where(eq(keys.id, key))
    const [account] = await orm.select({ budgets: accounts.budgets }).from(accounts).where(eq(accounts.id, id))
    const [own, shared] = [row!.budgets, account!.budgets]
    const fields = (budgets: WindowBudget[]) => budgets.map(budgetField).join(' ')
    /** Settles a request that some budgets count, by default all. */
    const spend = async (dollars: number, at = new Date(), budgets = [...own, ...shared]) => {
      const seconds = Math.floor(at.getTime() / 1000)
      await serve(redis, id, { key, at: seconds, costNanos: dollars * usd, budgets: fields(budgets) })
      await copyRound(noted, redis, Math.floor(Date.now() / 3_600_000), { signal: never })
    }
    const told = async () => {
      const rows = await orm.select().from(events).where(eq(events.accountId, id)).orderBy(events.at, events.id)
      const windows = rows.filter(({ type }) => type === 'budget.window_threshold').map(({ data }) => data)
      for (const data of windows) {
        assert.deepEqual([...Value.Errors(accountEvents['budget.window_threshold'], data)], [])
      }
      return windows as EventData<'budget.window_threshold'>[]
    }
    const percents = async () => (await told()).map(({ percent }) => percent)
    const checks = [
      { account: id, kind: 'budget' as const, key: '', due: '' },
      { account: id, kind: 'budget' as const, key, due: '' }
    ]
    return { id, cookie, key, own, shared, changeKey, spend, told, percents, toldMonthly, checks }
  }

  await t.test('a budget of a day tells each threshold once, and again on the next day', async () => {
    const { spend, percents, told, toldMonthly, checks, key } = await openWindows([{ window: 'day', limit_usd: 2 }], [])
    const today = new Date()
    const tomorrow = new Date(today.getTime() + 86_400_000)
    const check = async () => {
      await Promise.all([1, 2, 3].map(() => performChecks(sources, checks, today)))
      return (await percents()).toSorted((one, other) => one - other)
    }
    await spend(0.8)
    assert.deepEqual(await check(), [])
    await spend(0.3)
    await spendWatcher.runOnce()
    assert.deepEqual(await percents(), [50])
    await spend(0.6)
    assert.deepEqual(await check(), [50, 80])
    await spend(0.3)
    assert.deepEqual(await check(), [50, 80, 100])
    const midnight = new Date(Math.floor(tomorrow.getTime() / 86_400_000) * 86_400_000)
    assert.partialDeepStrictEqual((await told()).toSorted((a, b) => a.percent - b.percent)[2], {
      scope: 'key',
      key: { id: key, label: 'an app' },
      member_id: null,
      window: 'day',
      models: null,
      budget_usd: '2.00',
      spent_usd: '2.00',
      resets_at: midnight.toISOString()
    })
    assert.deepEqual(await toldMonthly(), [])
    // The spend of the day before does not count any more.
    await performChecks(sources, checks, tomorrow)
    assert.equal((await percents()).length, 3)
    await spend(1.2, tomorrow)
    for (const _time of [1, 2]) await performChecks(sources, checks, tomorrow)
    assert.deepEqual(
      (await told()).filter(({ spent_usd }) => spent_usd === '1.20').map(({ percent }) => percent),
      [50]
    )
  })

  await t.test(
    'budgets of members and models are told with whose they are; those that count nothing are not',
    async () => {
      const models = Object.keys(catalog.models).slice(0, 2).toSorted()
      const ofModels = { window: 'week', limit_usd: 1, models }
      const opened = await openWindows([ofModels], [])
      const budgets = [
        { of: 'member', member_id: opened.id, window: 'lifetime', limit_usd: 3 },
        { of: 'account', window: 'day', limit_usd: 100 }
      ]
      await expectStatus(call('PUT', '/api/account/budgets', { cookie: opened.cookie, body: { budgets } }), 200)
      const [account] = await orm.select({ budgets: accounts.budgets }).from(accounts).where(eq(accounts.id, opened.id))
      await opened.spend(2.4, new Date(), [...opened.own, ...account!.budgets])
      const ask = async (link = redis) => await performChecks({ ...sources, redis: link }, opened.checks, new Date())
      // Only Redis knows their spend, so they wait until it is back.
      assert.deepEqual(await ask({ ...redis, isReady: () => false } as typeof redis), [])
      assert.deepEqual(await opened.told(), [])
      assert.equal((await ask()).length, 2)
      const told = await opened.told()
      assert.deepEqual(
        told
          .map(({ scope, member_id, window, models: of, percent }) => [scope, member_id, window, of, percent])
          .toSorted(),
        [
          ['key', null, 'week', models, 100],
          ['member', opened.id, 'lifetime', null, 80]
        ]
      )
      assert.equal(told.find(({ scope }) => scope === 'member')!.resets_at, null)
      // Other members hear of budgets of the account and of keys, but not of other people's.
      const other = await control.signUp()
      const seenBy = async ({ cookie }: { cookie: string }) => {
        const { body } = await expectStatus(call('GET', '/api/events', { cookie }), 200)
        return (body as EventsResponse).events.filter(({ type }) => type === 'budget.window_threshold').length
      }
      await orm.insert(members).values({ userId: other.id, accountId: opened.id, joinedAt: new Date() })
      assert.deepEqual([await seenBy(opened), await seenBy(other)], [2, 1])
      // A credit lowers it below the threshold, and a higher limit has thresholds above the spend.
      const [ofMember] = account!.budgets
      await correct(opened.id, ofMember!, -1.4)
      await ask()
      await opened.spend(1.6, new Date(), [ofMember!])
      await ask()
      const again = (await opened.told()).filter(({ scope }) => scope === 'member').map(({ spent_usd }) => spent_usd)
      assert.deepEqual(again.toSorted(), ['2.40', '2.60'])
      const raised = [{ ...budgets[0]!, limit_usd: 6 }, budgets[1]!]
      await expectStatus(call('PUT', '/api/account/budgets', { cookie: opened.cookie, body: { budgets: raised } }), 200)
      await ask()
      await opened.spend(0.5, new Date(), [ofMember!])
      await ask()
      const last = (await opened.told()).find(({ spent_usd }) => spent_usd === '3.10')
      assert.partialDeepStrictEqual(last, { scope: 'member', percent: 50, budget_usd: '6.00' })
      assert.equal(await orm.$count(toldWindows, eq(toldWindows.accountId, opened.id)), 2)
      // Removed budgets leave nothing.
      await opened.changeKey([])
      await expectStatus(call('PUT', '/api/account/budgets', { cookie: opened.cookie, body: { budgets: [] } }), 200)
      assert.equal(await orm.$count(toldWindows, eq(toldWindows.accountId, opened.id)), 0)
    }
  )

  await t.test(
    'a budget of a day that refuses requests is used up from 90 % on; a change of budgets ends that',
    async () => {
      const budget = { of: 'account', window: 'day', limit_usd: 1 }
      const { id, cookie, key, spend, percents, checks } = await openWindows([], [budget])
      const at = new Date()
      const smallest = { unit: 'nanos', needed: 0.2 * usd, left: 0.08 * usd, limit: usd } as const
      const refusing = { accountId: id, keyId: key, code: 'budget_exceeded', since: at, lastAt: at, count: 1, smallest }
      await orm.insert(openRefusals).values({ ...refusing, smallest: { ...smallest, limit: 2 * usd } })
      await spend(0.92)
      await performChecks(sources, checks, at)
      assert.deepEqual(await percents(), [80])
      // It is this budget that refuses them.
      await orm.update(openRefusals).set({ smallest }).where(eq(openRefusals.accountId, id))
      for (const _time of [1, 2]) await performChecks(sources, checks, at)
      assert.deepEqual((await percents()).toSorted(), [100, 80])
      const raised = { cookie, body: { budgets: [{ ...budget, limit_usd: 2 }] } }
      await expectStatus(call('PUT', '/api/account/budgets', raised), 200)
      assert.equal(await orm.$count(openRefusals, and(eq(openRefusals.accountId, id), isNull(openRefusals.endedAt))), 0)
    }
  )

  await t.test('budgets that will not last are told once for each window and limit, by what they count', async () => {
    const model = Object.keys(catalog.models)[0]!
    const opened = await openWindows(
      [
        { window: 'lifetime', limit_usd: 40 },
        { window: 'month', limit_usd: 40 },
        { window: 'day', limit_usd: 5 }
      ],
      []
    )
    const { id, key, cookie } = opened
    const ofAccount = { of: 'account', window: 'lifetime' }
    const budgets = [
      { ...ofAccount, limit_usd: 40, models: [model] },
      { ...ofAccount, limit_usd: 300 },
      { of: 'member', member_id: id, window: 'lifetime', limit_usd: 25 }
    ]
    await expectStatus(call('PUT', '/api/account/budgets', { cookie, body: { budgets } }), 200)
    const [account] = await orm.select({ budgets: accounts.budgets }).from(accounts).where(eq(accounts.id, id))
    const now = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 9, 12))
    const day = (ago: number) => new Date(now.getTime() - ago * 86_400_000)
    await addLedgerMonths(orm, now.toISOString().slice(0, 10))
    const row = { accountId: id, run: 'r', revision: 1 }
    const rows = [1, 2, 3, 4].flatMap((ago) => [
      { ...row, hour: day(ago), keyId: key, model: 'other', costNanos: 5 * usd },
      { ...row, hour: day(ago), keyId: 'key_other', model, costNanos: 2 * usd }
    ])
    await orm.insert(ledger).values(rows)
    const checks = [key, ''].map((of) => ({ account: id, kind: 'forecast' as const, key: of, due: '' }))
    const tell = async (link = redis) => {
      const done = await performChecks({ ...sources, redis: link }, checks, now)
      const told = await orm.select().from(events).where(eq(events.accountId, id)).orderBy(events.at, events.id)
      const data = told.flatMap((event) => (event.type === 'budget.window_forecast' ? [event.data] : []))
      for (const one of data) {
        assert.deepEqual([...Value.Errors(accountEvents['budget.window_forecast'], one)], [])
      }
      const all = data as EventData<'budget.window_forecast'>[]
      const tolds = all.map(({ scope, window, models, budget_usd, spent_usd, used_up_at: at }) =>
        [scope, window, models, spent_usd, 'of', budget_usd, (Date.parse(at) - now.getTime()) / 86_400_000].join(' ')
      )
      return { done: done.length, told: tolds.toSorted() }
    }
    await opened.spend(20, now, [...opened.own, ...account!.budgets])
    // Of $40, $20 are left: four days at $5 a day, or ten at the $2 of the model. The member did not create the other key.
    const ofKey = ['key lifetime  20.00 of 40.00 4', 'key month  20.00 of 40.00 4']
    const told = [...ofKey, 'member lifetime  20.00 of 25.00 1']
    const away = { ...redis, isReady: () => false } as typeof redis
    assert.partialDeepStrictEqual(await tell(away), { done: 0 })
    assert.deepEqual([await tell(), await tell()], Array(2).fill({ done: 2, told }))
    const raised = { cookie, body: { budgets: [{ window: 'lifetime', limit_usd: 45 }] } }
    await expectStatus(call('PATCH', `/api/keys/${key}`, raised), 200)
    assert.deepEqual((await tell()).told, [told[0], 'key lifetime  20.00 of 45.00 5', ...told.slice(1)])
  })

  await t.test('only usage makes checks: busy accounts have few, and keys without a budget none', async () => {
    const { id, key } = await open()
    const body = { label: 'without a budget' }
    const { cookie } = await control.signUp()
    await call('POST', '/api/keys', { cookie, body })
    await orm.delete(spendChecks)
    const later: CheckDelays = { budget: 60_000, hour: 60_000, forecast: 60_000 }
    const changed = [
      { account: id, key },
      { account: id, key: 'key_unknown' }
    ]
    for (const _copy of [1, 2, 3]) await noteSpend(orm, changed, later)
    const rows = await orm.select().from(spendChecks)
    assert.deepEqual(rows.map(({ kind, keyId }) => `${kind} ${keyId}`).toSorted(), [
      'budget ',
      `budget ${key}`,
      'forecast ',
      `forecast ${key}`,
      'hour '
    ])
    assert.deepEqual(await claimChecks(orm, 10), [])
    await dueNow()
    const [first, second] = await Promise.all([claimChecks(orm, 10), claimChecks(orm, 10)])
    assert.equal(first!.length + second!.length, 5)
    // What changes during a check is checked again.
    await noteSpend(orm, changed, later)
    assert.equal(await orm.$count(spendChecks), 5)
  })
})
