import assert from 'node:assert/strict'
import { accountShard, changesChannel, deadlinesName, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { readFreeClosing } from '@tollgate/state/projection/stored-catalog.ts'
import { changeAccount } from '@tollgate/state/testing/account-state.ts'
import { eq, sql } from 'drizzle-orm'
import { test } from 'tap'
import { accounts } from '../database/schema/accounts.ts'
import { scrape } from '../metrics/testing/scrape.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { dayOf, freeClosing } from './free-spend-limit.ts'
import { createPostgresLedger } from './postgres-ledger.ts'
import { serve } from './testing/serve.ts'
import { copyUsage } from './usage-copier.ts'

const at = (text: string) => Date.parse(text)

test('the free offer is closed from the limit on, until the next midnight in UTC', async () => {
  const midnight = at('2026-12-01T00:00:00Z')
  const cases: Array<[now: string, limit: bigint | null, spent: bigint, until: number]> = [
    ['2026-11-30T00:00:00Z', 20n, 19n, 0],
    ['2026-11-30T00:00:00Z', 20n, 20n, midnight],
    ['2026-11-30T23:59:59.999Z', 20n, 21n, midnight],
    ['2026-12-01T00:00:00Z', 20n, 21n, at('2026-12-02T00:00:00Z')],
    // A correction may come before the row that it corrects.
    ['2026-11-30T12:00:00Z', 20n, -1n, 0],
    ['2026-11-30T12:00:00Z', null, 10n ** 18n, 0]
  ]
  for (const [now, limit, spent, until] of cases) {
    assert.equal(freeClosing(limit, spent, dayOf(at(now))), until, `${now}: ${spent} of ${limit}`)
  }
})

test('a day has 24 hours, and the next one begins where it ends', async () => {
  const day = dayOf(at('2026-11-30T23:59:59.999Z'))
  assert.deepEqual(day, { from: at('2026-11-30T00:00:00Z'), to: at('2026-12-01T00:00:00Z') })
  assert.equal(dayOf(day.to).from, day.to)
})

const usd = 1_000_000_000
const dayMs = 86_400_000

onDatabase('the spend of all free accounts in a day', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), freeSpendNanos: BigInt(10 * usd) })
  t.after(() => control.close())
  const { redis, freeSpend } = control
  const { orm } = control.database
  const ledger = createPostgresLedger(orm)
  const [ada, bob, payer, granted] = await Promise.all([1, 2, 3, 4].map(() => control.signUp()))
  const setPlan = ({ id }: { id: string }, plan: string) =>
    orm.update(accounts).set({ plan }).where(eq(accounts.id, id))
  await setPlan(payer!, 'pro')
  await orm
    .update(accounts)
    .set({ overrideLimits: { monthlyNanos: 1000 * usd } })
    .where(eq(accounts.id, granted!.id))
  const now = Date.now()
  const today = Math.floor(now / dayMs) * dayMs
  const spend = async ({ id }: { id: string }, dollars: number, at = now) => {
    await serve(redis, id, { costNanos: dollars * usd, at: Math.floor(at / 1000) })
    await copyUsage(ledger, redis, 'changed')
  }
  /** Dollars spent, and until when the free offer is closed: ms after the begin of the day, 0 if it is open. */
  async function add(): Promise<[number, number]> {
    await freeSpend.runOnce()
    assert.equal(freeSpend.progress.failures, 0)
    const until = await readFreeClosing(redis)
    assert.notEqual(until, null)
    return [Number(freeSpend.spentNanos()) / usd, until === 0 ? 0 : until! - today]
  }
  const notices: string[] = []
  const ofFreeOffer = JSON.stringify({ kind: 'free-offer' })
  t.after(redis.subscribe(changesChannel, (notice) => void notices.push(notice), assert.ifError))

  await t.test('has what free accounts spent since midnight, and not what others did', async () => {
    assert.deepEqual(await add(), [0, 0])
    await spend(ada!, 4)
    await spend(bob!, 2)
    await spend(bob!, 50, today - 3_600_000)
    await spend(payer!, 50)
    await spend(granted!, 50)
    assert.deepEqual(await add(), [6, 0])
  })

  await t.test('has what is reserved for their running requests', async () => {
    for (const [{ id }, reserved] of [
      [ada!, 3 * usd],
      [payer!, 50 * usd]
    ] as const) {
      await changeAccount(redis.client, id, { month: monthNumber(new Date()), reserved })
      await redis.client.zadd(deadlinesName(accountShard(id)), now + 60_000, id)
    }
    assert.deepEqual(await add(), [9, 0])
  })

  await t.test(
    'closes the free offer until midnight at its limit, tells gateways once, and metrics show it',
    async () => {
      await spend(bob!, 1)
      notices.length = 0
      assert.deepEqual(await add(), [10, dayMs])
      await add()
      while (!notices.includes(ofFreeOffer)) await redis.client.publish(changesChannel, 'done')
      assert.equal(notices.filter((notice) => notice === ofFreeOffer).length, 1)
      assert.equal(control.logged.filter((line) => line.includes('FREE_SPEND_USD_PER_DAY')).length, 1)
      const { of } = await scrape(control.adminUrl)
      assert.equal(of('tollgate_free_spend_dollars'), 10)
      assert.equal(of('tollgate_free_spend_limit_dollars'), 10)
    }
  )

  await t.test(
    'opens it when the sum is below again: an account pays, or requests cost less than reserved',
    async () => {
      await setPlan(bob!, 'pro')
      assert.deepEqual(await add(), [7, 0])
    }
  )

  await t.test('opens nothing before what has ended is in the ledger: no copy ran while control was away', async () => {
    await setPlan(bob!, 'free')
    assert.deepEqual(await add(), [10, dayMs])
    await serve(redis, ada!.id, { costNanos: 3 * usd, at: Math.floor(now / 1000) })
    await changeAccount(redis.client, ada!.id, { month: monthNumber(new Date()), reserved: 0 })
    assert.deepEqual(await add(), [10, dayMs])
  })

  await t.test('opens nothing while the ledger cannot be read', async () => {
    await orm.execute(sql`alter table ledger rename to away`)
    await freeSpend.runOnce()
    await orm.execute(sql`alter table away rename to ledger`)
    assert.equal(freeSpend.progress.failures, 1)
    assert.equal(await readFreeClosing(redis), today + dayMs)
  })
})
