import assert from 'node:assert/strict'
import { zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountName, accountShard, endedHoldPrefix, usageIndexName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { RedisAwayError, type RedisNode } from '@tollgate/state/link/redis-link.ts'
import { settleOf } from '@tollgate/state/testing/one-account.ts'
import { listUsage, readHour, readUsage, type UsageSelection } from '@tollgate/state/usage/usage.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { projection } from '../database/schema/projection.ts'
import { ledger } from '../database/schema/usage.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import type { Ledger } from './ledger.ts'
import { createPostgresLedger } from './postgres-ledger.ts'
import { requestOf, serve } from './testing/serve.ts'
import { copyUsage, createUsageCopier } from './usage-copier.ts'

const accountOf = (number: number) => `6f0c1c2e-7f86-4f43-9d53-${String(number).padStart(12, '0')}`
const [ada, bob] = [accountOf(1), accountOf(2)]

onEachDatabase('the ledger', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  const { orm } = database
  const store = createPostgresLedger(orm)
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
  const { client } = redis
  t.beforeEach(async () => {
    await client.flushall()
    await orm.delete(ledger)
    await orm.delete(projection)
  })

  const rows = () => orm.select().from(ledger).orderBy(ledger.accountId, ledger.hour, ledger.run, ledger.model)
  async function list(selection: UsageSelection): Promise<string[]> {
    const names: string[] = []
    for await (const page of listUsage(redis, selection)) names.push(...page)
    return names
  }
  const nameOf = async (account: string) => (await list('all')).find((name) => name.startsWith(account))!
  /** As if two hours had gone by. */
  async function age(account: string): Promise<void> {
    await client.zadd(usageIndexName(accountShard(account)), await readHour(redis), await nameOf(account))
  }
  /** The process that counted. */
  const tagOf = (run: string) => run.split('.')[0]
  const quiet = { info: () => {}, warn: () => {} }

  await t.test('has what Redis counted by hour, key and model, also for unknown accounts', async () => {
    const at = Math.floor(Date.now() / 1000)
    const one = await serve(redis, ada, { at })
    const two = await serve(redis, ada, { at, failed: true, estimated: true })
    await serve(redis, ada, { at, key: 'key_b', model: 'large' })
    await copyUsage(store, redis, 'changed')
    const [large, small] = (await rows()).toSorted((one, other) => (one.model < other.model ? -1 : 1))
    const costNanos = one.costNanos + two.costNanos
    const hour = new Date(Math.floor(at / 3600) * 3_600_000)
    const { run, revision, ...counters } = small!
    assert.deepEqual(counters, {
      accountId: ada,
      hour,
      keyId: 'key_a',
      model: 'small',
      upstream: '',
      ...zeroCounts,
      requests: 2,
      errors: 1,
      promptTokens: 20,
      cachedTokens: 8,
      completionTokens: 10,
      costNanos,
      estimatedRequests: 1,
      estimatedNanos: two.costNanos,
      reasoningTokens: 4
    })
    assert.equal(revision, 2)
    assert.equal(tagOf(large!.run), tagOf(run))
    assert.deepEqual([large!.model, large!.requests, large!.revision], ['large', 1, 1])
    assert.deepEqual(await list('changed'), [])
  })

  await t.test(
    'keeps upstreams apart, also of late rows, and moves what an expired hold charged to its upstream',
    async () => {
      const at = Math.floor(Date.now() / 1000)
      const { id } = await serve(redis, ada, { at, costNanos: 900 })
      await serve(redis, ada, { at, costNanos: 10, upstream: 'openai' })
      await serve(redis, ada, { at: at - 3 * 3600, costNanos: 20, upstream: 'azure-eu' })
      await client.set(`${endedHoldPrefix(ada)}${id}`, `900|10|5|${at}|key_a|small`)
      await serve(redis, ada, { id, at, costNanos: 500, upstream: 'openai' })
      await copyUsage(store, redis, 'changed')
      const stored = await rows()
      assert.deepEqual(
        stored
          .map(({ upstream, requests, costNanos }) => [upstream, requests, costNanos])
          .toSorted(([one], [other]) => (one! < other! ? -1 : 1)),
        [
          ['', 0, 0],
          ['azure-eu', 1, 20],
          ['openai', 2, 510]
        ]
      )
      assert.match(
        stored.find(({ upstream }) => upstream === 'azure-eu')!.run,
        /^[0-9a-f]{16}-azure-eu~[0-9]+\.[0-9]+$/
      )
      assert.equal(await spentBy(ada), 530)
    }
  )

  await t.test('takes later copies, even with smaller values, and never an earlier one', async () => {
    const { id, at } = await serve(redis, ada, { costNanos: 900 })
    const early = await readUsage(redis, await list('changed'))
    // As if the hold had expired: then settlement corrects the charge.
    await client.set(`${endedHoldPrefix(ada)}${id}`, `900|10|5|${at}|key_a|small`)
    await serve(redis, ada, { id, at, costNanos: 500 })
    await copyUsage(store, redis, 'changed')
    await store.store(early.usages)
    const [row] = await rows()
    assert.deepEqual([row!.requests, row!.costNanos, row!.revision], [1, 500, 2])
  })

  await t.test('keeps separate rows for usage before and after Redis was emptied, and sums them', async () => {
    for (const costNanos of [100, 20]) {
      await serve(redis, ada, { costNanos })
      await copyUsage(store, redis, 'changed')
      await client.flushall()
    }
    assert.equal((await rows()).length, 2)
    assert.equal(await spentBy(ada), 120)
  })

  await t.test(
    'stores final rows once more, even if copied before, and only then removes them from Redis',
    async () => {
      await serve(redis, ada)
      await serve(redis, bob)
      await copyUsage(store, redis, 'changed')
      // As if an old copy of the database had been restored and nobody had noticed.
      await orm.delete(ledger)
      await age(ada)
      await copyUsage(store, redis, 'changed')
      assert.deepEqual(await rows(), [])
      const failing: Pick<Ledger, 'store'> = { store: () => Promise.reject(new Error('the database is unavailable')) }
      await assert.rejects(copyUsage(failing, redis, 'final'), /unavailable/)
      assert.equal((await list('final')).length, 1)
      await copyUsage(store, redis, 'final')
      assert.deepEqual(
        (await rows()).map(({ accountId }) => accountId),
        [ada]
      )
      assert.deepEqual(await list('all'), [await nameOf(bob)])
      assert.deepEqual(await client.hkeys(accountName(ada)), [])
    }
  )

  await t.test('copies other rows despite an unreadable one, which is logged once', async () => {
    await serve(redis, ada)
    const bad = await nameOf(ada)
    await client.hset(accountName(ada), `u${bad.slice(ada.length)}`, 'many')
    await serve(redis, bob)
    const logged: unknown[][] = []
    const log = { info: () => {}, warn: (...parts: unknown[]) => void logged.push(parts) }
    const copier = createUsageCopier({ ledger: store, redis, log, intervalMs: 1 })
    let rounds = 0
    const counting: Ledger = {
      ...store,
      uncopiedEpoch: () => {
        rounds++
        return store.uncopiedEpoch()
      }
    }
    const countingCopier = createUsageCopier({ ledger: counting, redis, log: quiet, intervalMs: 1 })
    copier.start()
    countingCopier.start()
    await until(async () => rounds > 3 && (await rows()).length === 1)
    await Promise.all([copier.stop(), countingCopier.stop()])
    assert.deepEqual(logged, [
      [
        { name: bad, reason: 'the value is not a list of counters' },
        'a row of usage in Redis cannot be read; it stays there'
      ]
    ])
    assert.equal(await nameOf(ada), bad)
  })

  await t.test('gets everything in Redis once a restore of the database was noticed', async () => {
    await serve(redis, ada)
    await copyUsage(store, redis, 'changed')
    await orm.delete(ledger)
    await orm.insert(projection).values({ epoch: 3, ledgerEpoch: 2 })
    const replicas = [1, 2].map(() => createUsageCopier({ ledger: store, redis, log: quiet, intervalMs: 5 }))
    for (const replica of replicas) replica.start()
    await until(async () => (await store.uncopiedEpoch()) === null)
    await Promise.all(replicas.map((replica) => replica.stop()))
    assert.equal((await rows()).length, 1)
    // An earlier epoch than the noted one changes nothing.
    await store.noteCopied(1)
    assert.equal((await orm.select().from(projection))[0]!.ledgerEpoch, 3)
  })

  await t.test('continues by itself after a failure, which is logged once', async () => {
    await serve(redis, ada)
    const logged: string[] = []
    const log = {
      info: (message: unknown) => void logged.push(String(message)),
      warn: (_values: unknown, message?: string) => void logged.push(String(message))
    }
    let attempts = 0
    const flaky: RedisNode = {
      ...redis,
      client,
      run() {
        if (++attempts <= 3) throw new RedisAwayError()
        return redis.run()
      }
    }
    const copier = createUsageCopier({ ledger: store, redis: flaky, log, intervalMs: 1 })
    copier.start()
    await until(async () => logged.length >= 2)
    await copier.stop()
    assert.deepEqual(logged, [
      'usage is not copied from Redis to PostgreSQL',
      'usage is copied from Redis to PostgreSQL again'
    ])
    assert.equal((await rows()).length, 1)
  })

  await t.test('takes thousands of rows in few steps', async () => {
    const count = 3000
    const requests = Array.from({ length: count }, (_, number) =>
      requestOf({ key: `key_${number}`, costNanos: number })
    )
    const perAccount = 50
    for (let from = 0; from < count; from += perAccount)
      await settleOf(redis, accountOf(from), requests.slice(from, from + perAccount))
    let statements = 0
    const counting: Pick<Ledger, 'store'> = {
      store(usages) {
        statements++
        return store.store(usages)
      }
    }
    const startedAt = performance.now()
    await copyUsage(counting, redis, 'changed')
    t.comment(`${count} rows in ${Math.round(performance.now() - startedAt)} ms, ${statements} statements`)
    assert.ok(statements <= 5)
    const [sum] = await queryRows<{ cost: string }>(orm, sql`select sum(cost_nanos)::text as cost from ledger`)
    assert.equal(Number(sum!.cost), (count * (count - 1)) / 2)
    assert.deepEqual(await list('changed'), [])
  })

  async function spentBy(account: string): Promise<number> {
    return (await rows()).filter(({ accountId }) => accountId === account).reduce((sum, row) => sum + row.costNanos, 0)
  }
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  // With PGlite a whole query runs within one turn of the event loop, so timers would never be due.
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
