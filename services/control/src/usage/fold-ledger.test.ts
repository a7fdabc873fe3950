import assert from 'node:assert/strict'
import { zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import type { Usage } from '@tollgate/state/usage/usage.ts'
import { eq, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { ledger } from '../database/schema/usage.ts'
import { onEachDatabase, openTestDatabase } from '../testing/databases.ts'
import { foldLedger } from './fold-ledger.ts'
import { createPostgresLedger } from './postgres-ledger.ts'
import { readSpend, readUsage } from './read-ledger.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const now = new Date('2026-11-20T12:00:00Z')
const retention = { hoursKeptDays: 5, monthsKept: null }

function usage(hour: string, changed: Partial<Usage> = {}): Usage {
  const row = {
    account,
    hour: Date.parse(hour) / 3_600_000,
    run: 'a run',
    key: 'key_1',
    model: 'm',
    upstream: '',
    revision: 1
  }
  const counts = {
    requests: 1,
    promptTokens: 10,
    cachedTokens: 1,
    completionTokens: 5,
    reasoningTokens: 2,
    costNanos: 7
  }
  return { ...row, ...zeroCounts, ...counts, name: '', born: 1, ...changed }
}

async function partitions(orm: Orm): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    orm,
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ledger'::regclass order by 1`
  )
  return rows.map(({ name }) => name)
}

const spent = (orm: Orm) => readSpend(orm, account, new Date('2020-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z'))

onEachDatabase('the ledger', async (t, newDatabase) => {
  const database = await openTestDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  await migrate(orm)
  const { store } = createPostgresLedger(orm)

  await t.test('usage of any month is stored in its own partition', async () => {
    await store([usage('2026-09-30T23:00:00Z'), usage('2026-10-01T00:00:00Z'), usage('2026-10-31T23:00:00Z')])
    const made = await partitions(orm)
    assert.ok(made.includes('ledger_2026_09') && made.includes('ledger_2026_10'), made.join())
    assert.equal(await orm.$count(ledger), 3)
  })

  await t.test('old hours become days with unchanged sums', async () => {
    await store([
      usage('2026-11-14T01:00:00Z', { costNanos: 100 }),
      usage('2026-11-14T23:00:00Z', { costNanos: 20, errors: 1 }),
      usage('2026-11-14T23:00:00Z', { costNanos: 3, run: 'another run' }),
      usage('2026-11-14T23:00:00Z', { costNanos: 4, key: 'key_2' }),
      usage('2026-11-15T00:00:00Z', { costNanos: 5 })
    ])
    const before = await spent(orm)
    assert.equal((await foldLedger(orm, retention, now)).folded, 0)
    assert.equal((await foldLedger(orm, retention, now)).folded, 7)
    assert.equal((await foldLedger(orm, retention, now)).folded, 0)
    assert.equal(await spent(orm), before)
    const range = {
      from: new Date('2026-11-14T00:00:00Z'),
      to: new Date('2026-11-16T00:00:00Z'),
      interval: 'hour' as const
    }
    const buckets = await readUsage(orm, account, range, { groupBy: 'key', top: null }, 100)
    assert.deepEqual(
      buckets?.map(({ start, key_id, requests, errors, cost_usd }) => [start, key_id, requests, errors, cost_usd]),
      [
        ['2026-11-14T00:00:00.000Z', 'key_1', 3, 1, '0.000000123'],
        ['2026-11-14T00:00:00.000Z', 'key_2', 1, 0, '0.000000004'],
        ['2026-11-15T00:00:00.000Z', 'key_1', 1, 0, '0.000000005']
      ]
    )
  })

  await t.test('an old copy of a folded hour does not count twice', async () => {
    const before = await spent(orm)
    await store([usage('2026-11-14T01:00:00Z', { costNanos: 100, revision: 9 })])
    assert.equal(await spent(orm), before)
    await store([usage('2026-11-15T00:00:00Z', { costNanos: 6, revision: 2 })])
    assert.equal(await spent(orm), before + 1n)
  })

  await t.test('replicas that fold at once fold each hour once', async () => {
    const before = await spent(orm)
    const rows = Array.from({ length: 3000 }, (_, number) => usage('2026-11-16T03:00:00Z', { key: `key_${number}` }))
    await store([...rows, ...rows.map((row) => ({ ...row, hour: row.hour + 1 }))])
    const later = new Date('2026-11-23T12:00:00Z')
    await foldLedger(orm, retention, later)
    const results = await Promise.all([1, 2, 3].map(() => foldLedger(orm, retention, later)))
    assert.equal(
      results.reduce((sum, { folded }) => sum + folded, 0),
      6001
    )
    assert.equal(await spent(orm), before + 42_000n)
  })

  await t.test('days keep upstreams apart', async () => {
    const before = await spent(orm)
    const hour = '2026-11-18T01:00:00Z'
    await store([
      usage(hour, { costNanos: 1, run: 'tag-openai.1', upstream: 'openai' }),
      usage(hour, { costNanos: 2, run: 'tag-azure.1', upstream: 'azure' }),
      usage(hour, { costNanos: 4, run: 'tag.1' })
    ])
    const later = new Date('2026-11-24T12:00:00Z')
    await foldLedger(orm, retention, later)
    // As if another replica had begun to fold the day.
    const at = new Date('2026-11-18T00:00:00Z')
    const day = { accountId: account, hour: at, keyId: 'key_1', model: 'm', revision: 1 }
    await orm.insert(ledger).values({ ...day, run: 'day-openai', upstream: 'openai', costNanos: 8 })
    assert.equal((await foldLedger(orm, retention, later)).folded, 3)
    assert.equal((await foldLedger(orm, retention, later)).folded, 0)
    const days = await orm
      .select({ run: ledger.run, upstream: ledger.upstream, cost: ledger.costNanos })
      .from(ledger)
      .where(eq(ledger.hour, at))
      .orderBy(ledger.upstream)
    assert.deepEqual(days, [
      { run: 'day', upstream: '', cost: 4 },
      { run: 'day-azure', upstream: 'azure', cost: 2 },
      { run: 'day-openai', upstream: 'openai', cost: 9 }
    ])
    assert.equal(await spent(orm), before + 15n)
  })

  await t.test('old months are dropped and do not come back', async () => {
    const short = { hoursKeptDays: 5, monthsKept: 1 }
    const { dropped } = await foldLedger(orm, short, now)
    assert.deepEqual(dropped, ['ledger_2026_09'])
    await store([usage('2026-09-30T23:00:00Z')])
    assert.ok(!(await partitions(orm)).includes('ledger_2026_09'))
    const rest = await queryRows<{ first: string }>(orm, sql`select min(hour)::date::text as first from ledger`)
    assert.equal(rest[0]!.first, '2026-10-01')
  })
})
