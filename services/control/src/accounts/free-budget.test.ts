import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { LimitsResponse } from '@tollgate/contracts/http/limits.ts'
import type { UsageSummaryResponse } from '@tollgate/contracts/http/usage.ts'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { changeAccount } from '@tollgate/state/testing/account-state.ts'
import { eq, sql } from 'drizzle-orm'
import type { Static } from 'typebox'
import { queryRows, type Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { oldRows } from '../retention/old-rows.ts'
import { expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { claimMailbox } from './free-budget.ts'

onDatabase('the free budget of a mailbox', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call, projector } = control
  const { orm } = control.database
  const budget = control.catalog.plans.free!.caps.monthlyNanos
  const month = monthNumber(new Date())
  const newBox = () => {
    const name = randomUUID()
    return (tag: string) => `${name}+${tag}@example.com`
  }
  type User = Awaited<ReturnType<typeof control.signUp>>

  async function monthOf({ cookie }: User) {
    const read = async (path: string) => (await expectStatus(call('GET', path, { cookie }), 200)).body
    const { month } = ((await read('/api/limits')) as LimitsResponse).limits
    const { cap_usd } = (await read('/api/usage/summary')) as Static<typeof UsageSummaryResponse>
    assert.equal(cap_usd, month.budget_usd)
    const { budget_usd, free_budget_elsewhere: isElsewhere, spent_before_usd } = month
    return { nanos: Math.round(Number(budget_usd) * 1e9), isElsewhere, before: Number(spent_before_usd) * 1e9 }
  }
  const whole = { nanos: budget, isElsewhere: false, before: 0 }
  const none = { nanos: 0, isElsewhere: true, before: 0 }
  /** What gateways read. */
  async function freeBudgetOf({ id }: User) {
    assert(await projector.accountChanged(id))
    return readAccountRecord((await control.redis.client.hget(accountName(id), 'r'))!).freeBudget
  }
  const remove = ({ cookie }: User) => expectStatus(call('DELETE', '/api/auth/me', { cookie }), 200)
  /** Spends, and keeps some reserved for a request that runs. */
  const spend = async ({ id }: User, settled: number, reserved = 0) => {
    await projector.accountChanged(id)
    await changeAccount(control.redis.client, id, { month, settled, reserved })
  }

  await t.test('belongs to the oldest of its accounts; others have none until they pay', async () => {
    const box = newBox()
    const first = await control.signUp({ email: box('1') })
    const second = await control.signUp({ email: box('2') })
    assert.deepEqual([await monthOf(first), await monthOf(second)], [whole, none])
    assert.deepEqual([await freeBudgetOf(first), await freeBudgetOf(second)], [undefined, { isElsewhere: true }])
    await control.setPlan(second.id, 'pro')
    const paid = { ...second, cookie: await control.signIn(second) }
    assert.equal((await monthOf(paid)).nanos, control.catalog.plans.pro!.caps.monthlyNanos)
    const stranger = await control.signUp()
    assert.deepEqual([await monthOf(stranger), await freeBudgetOf(stranger)], [whole, undefined])
  })

  await t.test('belongs to exactly one of accounts that begin at once', async () => {
    const box = newBox()
    const users = await Promise.all(['1', '2', '3', '4'].map((tag) => control.signUp({ email: box(tag) })))
    const shares = await Promise.all(users.map(freeBudgetOf))
    assert.equal(shares.filter((share) => share === undefined).length, 1)
  })

  await t.test(
    'is shared by accounts that claim one mailbox at once: the second waits, and sees the first',
    async () => {
      const box = newBox()
      const [first, second] = [await control.signUp({ email: box('1') }), await control.signUp({ email: box('2') })]
      await orm.update(accounts).set({ mailbox: null })
      const claim = (tx: Transaction, { id, email }: User) => claimMailbox(tx, control.mailboxes, id, email)
      let waiting: Promise<boolean> | undefined
      const isFirstChanged = await orm.transaction(async (tx) => {
        const isChanged = await claim(tx, first)
        waiting = orm.transaction((other) => claim(other, second))
        // Without a lock it would end meanwhile.
        await queryRows(tx, sql`select pg_sleep(0.1)`)
        return isChanged
      })
      assert.deepEqual([isFirstChanged, await waiting], [false, true])
    }
  )

  await t.test('has less after an account was deleted: what it spent, and what it had reserved', async () => {
    const box = newBox()
    const first = await control.signUp({ email: box('1') })
    const waiting = await control.signUp({ email: box('2') })
    await spend(first, 0.25 * budget, 0.25 * budget)
    await remove(first)
    const left = { nanos: budget / 2, isElsewhere: false, before: budget / 2 }
    assert.deepEqual(await monthOf(waiting), left)
    assert.deepEqual(await freeBudgetOf(waiting), { spent: { month, nanos: budget / 2 } })
    // Nobody gets it back by registering the same address again.
    await spend(waiting, 0.5 * budget)
    await remove(waiting)
    const again = await control.signUp({ email: first.email })
    assert.deepEqual(await monthOf(again), { nanos: 0, isElsewhere: false, before: budget })
    assert.deepEqual(await freeBudgetOf(again), { spent: { month, nanos: budget } })
  })

  await t.test('stays with an account whose deletion is not complete', async () => {
    const box = newBox()
    const first = await control.signUp({ email: box('1') })
    await orm
      .update(accounts)
      .set({ suspensions: ['deleted'] })
      .where(eq(accounts.id, first.id))
    assert.deepEqual(await freeBudgetOf(await control.signUp({ email: box('2') })), { isElsewhere: true })
  })

  await t.test('of accounts from before mailboxes were noted is shared after the next comparison', async () => {
    const box = newBox()
    const [first, second] = [await control.signUp({ email: box('1') }), await control.signUp({ email: box('2') })]
    await orm.update(accounts).set({ mailbox: null })
    assert.deepEqual([await freeBudgetOf(first), await freeBudgetOf(second)], [undefined, undefined])
    control.passTime(24 * 3_600_000)
    assert.equal(await control.sweeper.look(), true)
    assert.deepEqual([await freeBudgetOf(first), await freeBudgetOf(second)], [undefined, { isElsewhere: true }])
  })

  await t.test('is forgotten with the deleted account after its month', async () => {
    const user = await control.signUp()
    await remove(user)
    const readMailbox = () =>
      queryRows(orm, sql`select mailbox from accounts where id = ${user.id} and mailbox is not null`)
    assert.equal((await readMailbox()).length, 1)
    const now = control.now()
    await oldRows.mailboxes.prune(orm, now)
    assert.equal((await readMailbox()).length, 1)
    await oldRows.mailboxes.prune(orm, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)))
    assert.equal((await readMailbox()).length, 0)
    const [others] = await queryRows(orm, sql`select 1 from accounts where mailbox is not null limit 1`)
    assert(others !== undefined, 'living accounts keep theirs')
  })
})
