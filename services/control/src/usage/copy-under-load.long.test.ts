import assert from 'node:assert/strict'
import { forEachCounter, type UsageCounts, zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountShard, usageIndexName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import { settleOf } from '@tollgate/state/testing/one-account.ts'
import { listUsage, readHour } from '@tollgate/state/usage/usage.ts'
import { sql } from 'drizzle-orm'
import { type Database, openDatabase, queryRows } from '../database/connect.ts'
import { onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { eachCounter, type Ledger } from './ledger.ts'
import { createPostgresLedger } from './postgres-ledger.ts'
import { copyUsage, createUsageCopier } from './usage-copier.ts'

const accounts = Array.from({ length: 30 }, (_, number) => {
  return `6f0c1c2e-7f86-4f43-9d53-${String(number).padStart(12, '0')}`
})
const requestsAtOnce = 10
const settlements = 2000
const minKills = 20
/** The maximum number of settlements between two kills. */
const maxBetweenKills = 40

const any = (count: number): number => Math.floor(Math.random() * count)
const quiet = { info: () => {}, warn: () => {} }

interface Replica {
  kill(): Promise<void>
}

onDatabase('under load, while replicas are killed', async (t, newDatabase) => {
  const databaseUrl = await newDatabase()
  const database = await openMigratedDatabase(databaseUrl)
  const server = await leaseRedis()
  const redis = await connect()
  t.after(async () => {
    await redis.close()
    await server.giveBack()
    await database.close()
  })
  const now = Math.floor(Date.now() / 1000)

  async function connect(): Promise<RedisNode> {
    const link = connectServer(server.url, { name: 'test', silenceTimeoutMs: 30_000, onError: () => {} })
    await link.ready()
    return link
  }

  /** Starts a copier with its own connections, which can be cut at any moment. */
  async function startReplica(): Promise<Replica> {
    const link = await connect()
    const own = databaseUrl === 'pglite:memory' ? null : await openOwn()
    const store = createPostgresLedger((own?.database ?? database).orm)
    let isDead = false
    const killable: Ledger = {
      ...store,
      async store(usages) {
        if (isDead) throw new Error('killed before storing')
        await store.store(usages)
        if (isDead) throw new Error('killed before learning that it had stored')
      }
    }
    const copier = createUsageCopier({ ledger: killable, redis: link, log: quiet, intervalMs: 1 })
    copier.start()
    return {
      async kill() {
        isDead = true
        link.client.disconnect()
        if (own !== null) await database.orm.execute(sql`select pg_terminate_backend(${own.pid}::int)`)
        await copier.stop()
        await own?.database.close()
      }
    }
  }

  async function openOwn(): Promise<{ database: Database; pid: string }> {
    const own = await openDatabase(databaseUrl, { poolSize: 1 })
    const [row] = await queryRows<{ pid: string }>(own.orm, sql`select pg_backend_pid()::text as pid`)
    return { database: own, pid: row!.pid }
  }

  /** Counts of served requests by account, key and model. */
  const served = new Map<string, UsageCounts>()
  let requests = 0

  async function settleSome(): Promise<void> {
    const account = accounts[any(accounts.length)]!
    const some = Array.from({ length: requestsAtOnce }, (): SettledRequest => {
      const [failed, estimated] = [any(10) === 0, any(10) === 0]
      const [promptTokens, completionTokens] = [any(1000), any(1000)]
      return {
        id: `req_${++requests}`,
        key: `key_${any(3)}`,
        model: ['small', 'large'][any(2)]!,
        upstream: ['', 'openai', 'azure'][any(3)]!,
        budgets: '',
        at: now - any(2) * 3600,
        heldNanos: 0,
        heldTokens: 0,
        tokensPerMinute: 1000,
        tokensRestMs: 0,
        ...nothingCounted,
        costNanos: any(1_000_000_000),
        promptTokens,
        cachedTokens: any(promptTokens),
        completionTokens,
        reasoningTokens: any(completionTokens),
        failed,
        estimated
      }
    })
    await settleOf(redis, account, some)
    for (const { key, model, ...request } of some) {
      const id = [account, key, model].join('|')
      const before = served.get(id) ?? zeroCounts
      const { failed, estimated } = request
      const more: UsageCounts = {
        ...zeroCounts,
        promptTokens: request.promptTokens,
        cachedTokens: request.cachedTokens,
        completionTokens: request.completionTokens,
        reasoningTokens: request.reasoningTokens,
        costNanos: request.costNanos,
        requests: 1,
        errors: +failed,
        estimatedRequests: +estimated,
        estimatedNanos: estimated ? request.costNanos : 0
      }
      served.set(
        id,
        forEachCounter((counter) => before[counter] + more[counter])
      )
    }
  }

  /** As if hours had passed: stored rows leave Redis, although more is counted for the same hours. */
  async function age(account: string): Promise<void> {
    const hour = await readHour(redis)
    const name = usageIndexName(accountShard(account))
    for (const row of await redis.client.zrange(name, '0', '-1')) {
      if (row.startsWith(account)) await redis.client.zadd(name, 'XX', hour, row)
    }
  }

  await t.test('the ledger has every request exactly once, to the nanodollar', async (t) => {
    const replicas = [await startReplica(), await startReplica()]
    const ending: Array<Promise<void>> = []
    let kills = 0
    const killOne = async () => {
      const number = any(replicas.length)
      ending.push(replicas[number]!.kill())
      replicas[number] = await startReplica()
      kills++
    }
    const load = async () => {
      for (let left = settlements / 4; left > 0 || kills < minKills; left--) await settleSome()
    }
    let isOver = false
    const loads = Promise.all(Array.from({ length: 4 }, load)).then(() => {
      isOver = true
    })
    while (!isOver) {
      const until = requests + any(maxBetweenKills * requestsAtOnce)
      while (requests < until && !isOver) await new Promise((resolve) => setImmediate(resolve))
      await age(accounts[any(accounts.length)]!)
      await killOne()
    }
    await loads
    await Promise.all([...ending, ...replicas.map((replica) => replica.kill())])
    await copyUsage(createPostgresLedger(database.orm), redis, 'changed')
    for await (const left of listUsage(redis, 'changed')) assert.deepEqual(left, [])

    const rows = await queryRows<{ id: string; sums: string }>(
      database.orm,
      sql`select concat_ws('|', account_id, key_id, model) as id,
          concat_ws(' ', ${eachCounter((_counter, column) => `sum(${column})`)}) as sums
        from ledger group by account_id, key_id, model`
    )
    const sorted = (entries: Iterable<[string, string]>) =>
      [...entries].sort(([one], [other]) => (one < other ? -1 : 1))
    assert.deepEqual(
      sorted(rows.map(({ id, sums }) => [id, sums])),
      sorted([...served].map(([id, sums]) => [id, Object.values(sums).join(' ')]))
    )
    t.comment(`${requests} requests, ${kills} replicas killed`)
  })
})
