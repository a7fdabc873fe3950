import assert from 'node:assert/strict'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { type AccountShard, accountShard, accountShards, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { RedisAwayError, type RedisNode } from '@tollgate/state/link/redis-link.ts'
import { putKeyRecord } from '@tollgate/state/projection/write-records.ts'
import { openSpends } from '@tollgate/state/spend/spend.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { activeKey } from '@tollgate/state/testing/one-account.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { ledger } from '../database/schema/usage.ts'
import { onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import type { Ledger } from '../usage/ledger.ts'
import { createPostgresLedger, spendByKey } from '../usage/postgres-ledger.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyUsage } from '../usage/usage-copier.ts'
import { monthOf } from '../usage/usage-range.ts'
import { seedShards } from './seed-shards.ts'
import { seedKeys } from './testing/ask-as-gateway.ts'

const endless = new AbortController().signal

onDatabase('seeding', async (t, newDatabase) => {
  const databaseUrl = await newDatabase()
  const database = await openMigratedDatabase(databaseUrl)
  const { orm } = database
  const server = await leaseRedis()
  const redis = connectServer(server.url, {
    name: 'test',
    silenceTimeoutMs: 30_000,
    onError: (error) => t.error(error)
  })
  t.after(async () => {
    await redis.close()
    await server.giveBack()
    await database.close()
  })
  await redis.ready()
  await seedKeys(orm, { count: 20, accounts: 20 })
  const [first, second] = await orm.select().from(accounts).limit(2)
  const [ada, bob] = [first!.id, second!.id]
  const shard = accountShard(ada)
  t.beforeEach(async () => {
    await redis.client.flushall()
    await orm.delete(ledger)
  })

  const store = createPostgresLedger(orm)
  const seed = (from: Ledger = store, link: RedisNode = redis, now = new Date()) =>
    seedShards(from, link, [shard], redis.run(), now, endless)
  async function spend(account = ada) {
    const { account: entry, keys } = await readState(redis.client, account)
    return entry === null
      ? null
      : { ...entry, byKey: new Map([...keys].map(([key, { settled }]): [string, number] => [key, settled])) }
  }
  const month = monthOf(new Date())
  async function enter(accountId: string, keyId: string, hour: Date, costNanos: number): Promise<void> {
    const counts = { requests: 1, errors: 0, promptTokens: 1, cachedTokens: 0, completionTokens: 1, revision: 1 }
    await addLedgerMonths(orm, hour)
    await orm
      .insert(ledger)
      .values({ accountId, keyId, hour, costNanos, run: 'run', model: `m${costNanos}`, ...counts })
  }

  await t.test('an empty Redis gets this month’s spend by key, and nothing of other months', async () => {
    await enter(ada, 'key_1', month.from, 5)
    await enter(ada, 'key_1', new Date(month.to.getTime() - 3_600_000), 7)
    await enter(ada, 'key_2', month.from, 100)
    await enter(ada, 'key_1', new Date(month.from.getTime() - 3_600_000), 1000)
    await enter(ada, 'key_1', month.to, 1000)
    await enter(bob, 'key_3', month.from, 1000)
    // A key whose tombstone was swept needs no spend.
    await enter(ada, 'key_dead', month.from, 10)
    for (const key of ['key_1', 'key_2']) await putKeyRecord(redis, ada, key, 1, activeKey)
    await seed()
    const { month: of, settled, reserved, byKey } = (await spend())!
    assert.match(String(of), /^20\d{4}$/)
    assert.deepEqual(
      [settled, reserved, [...byKey].sort()],
      [
        122,
        0,
        [
          ['key_1', 12],
          ['key_2', 100]
        ]
      ]
    )
    if (accountShard(bob) !== shard) assert.equal(await spend(bob), null)
  })

  await t.test('usage from a dump is copied first, since neither side has all of it', async () => {
    await openSpends(redis, [ada], monthNumber(new Date()))
    await serve(redis, ada, { key: 'key_1', costNanos: 30 })
    await enter(ada, 'key_1', month.from, 500)
    await seed()
    assert.equal((await spend())?.settled, 530)
    await copyUsage(store, redis, 'changed')
    await seed()
    assert.equal((await spend())?.settled, 530)
  })

  await t.test('settlements before the spend exists count', async () => {
    await serve(redis, ada, { key: 'key_1', costNanos: 30 })
    assert.equal(await spend(), null)
    await seed()
    assert.equal((await spend())?.settled, 30)
  })

  await t.test('settlements between copying and seeding count', async () => {
    await enter(ada, 'key_1', month.from, 500)
    let times = 0
    const late: Ledger = {
      ...store,
      async spendOf(ids, now) {
        const spends = await store.spendOf(ids, now)
        if (++times <= 3) await serve(redis, ada, { key: 'key_1', costNanos: 30 })
        return spends
      }
    }
    await seed(late)
    assert.equal((await spend())?.settled, 590)
    await copyUsage(store, redis, 'changed')
    await seed()
    assert.equal((await spend())?.settled, 590)
    assert.ok(times > 3)
  })

  await t.test('a constantly busy account is not verified with less than it spent', async () => {
    await enter(ada, 'key_1', month.from, 500)
    const busy: Ledger = {
      ...store,
      async spendOf(ids, now) {
        const spends = await store.spendOf(ids, now)
        await serve(redis, ada, { costNanos: 1 })
        return spends
      }
    }
    await assert.rejects(seed(busy), /too fast/)
  })

  await t.test('an earlier month than the account’s, and another Redis process, are refused', async () => {
    const lastMonth = new Date(month.from.getTime() - 1)
    await enter(ada, 'key_1', new Date(month.from.getTime() - 3_600_000), 5)
    await openSpends(redis, [ada], monthNumber(new Date()))
    await assert.rejects(seed(store, redis, lastMonth), /later month/)
    await assert.rejects(seed(store, { ...redis, client: redis.client, run: () => 'another' }), RedisAwayError)
  })

  if (databaseUrl === 'pglite:memory') return
  await t.test('with 20,000 accounts each shard is read with an index', { timeout: 120_000 }, async (t) => {
    await fill(orm, month.from)
    const startedAt = performance.now()
    let count = 0
    const pages = await pagesOf(store, 'a07')
    for (const ids of pages) count += (await store.spendOf(ids, new Date())).length
    const ms = Math.round(performance.now() - startedAt)
    assert.ok(count > 50)
    const [plan] = await queryRows<{ 'QUERY PLAN': string }>(
      orm,
      sql`explain (analyze, format json) ${spendByKey(pages[0]!, month.from, month.to)}`
    )
    const text = JSON.stringify(plan)
    assert.match(text, /ledger_\d{4}_\d{2}_pkey/)
    assert.doesNotMatch(text, /Seq Scan/)
    const shardPlan = await queryRows(
      orm,
      sql`explain (format json) select id, version from accounts
        where (shard, version, id) > ('a07', 1, '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'::uuid) and shard <= 'a0f'
          and shard in ('a07', 'a08', 'a0f') and version > 0
        order by shard, version, id limit 1000`
    )
    assert.doesNotMatch(JSON.stringify(shardPlan), /Seq Scan/)
    const all = performance.now()
    await seedShards(store, redis, accountShards, redis.run(), new Date(), endless)
    t.comment(`a shard: ${count} accounts in ${ms} ms; all: ${Math.round(performance.now() - all)} ms`)
  })
})

async function pagesOf(store: Ledger, shard: AccountShard): Promise<string[][]> {
  const pages: string[][] = []
  for await (const page of store.accountsOf([shard])) pages.push(page)
  return pages
}

/** 20,000 accounts with ten hours of use this month, and ten before. */
async function fill(orm: Orm, from: Date): Promise<void> {
  await seedKeys(orm, { count: 1, accounts: 20_000, from: 1000 })
  await addLedgerMonths(orm, new Date(from.getTime() - 1), from)
  await orm.execute(sql`
    insert into ledger (account_id, hour, run, key_id, model, requests, errors, prompt_tokens, cached_tokens,
      completion_tokens, cost_nanos, revision)
    select id, ${from.toISOString()}::timestamptz + hour * interval '1 hour', 'run', 'key_1', 'small', 1, 0, 1, 0, 1, 1, 1
    from accounts, generate_series(-10, 9) as hour`)
  await orm.execute(sql`analyze ledger, accounts`)
}
