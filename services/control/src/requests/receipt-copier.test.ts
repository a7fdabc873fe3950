import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountShard, accountShards, receiptsName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { copyReceipts, createReceiptCopier } from './receipt-copier.ts'
import { receiptOf } from './testing/receipt-of.ts'

const quiet = { info: () => {}, warn: () => {} }
const roomy = 10_000_000
/** An account in a shard, by its place in the list of shards. */
function accountOfShard(index: number): string {
  for (;;) {
    const account = randomUUID()
    if (accountShard(account) === accountShards[index]) return account
  }
}
const zero = { malformed: 0, old: 0, ahead: 0 }

test('the receipt copier', async (t) => {
  const database = await openMigratedDatabase()
  const server = await leaseRedis()
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(async () => {
    await redis.close()
    await server.giveBack()
    await database.close()
  })
  await redis.ready()
  const { orm } = database
  const clock = () => new Date()
  const note = async (receipts: readonly Receipt[]) => {
    for (const receipt of receipts)
      await noteReceipts(redis, accountShard(receipt.account), [encodeReceipt(receipt)], roomy)
  }
  /** Many receipts, each in an entry of its own, as of gateways that answer one request at a time. */
  const noteMany = async (account: string, count: number) => {
    const stream = receiptsName(accountShard(account))
    const pipeline = redis.client.pipeline()
    for (let number = 0; number < count; number++) pipeline.xadd(stream, '*', 'r', encodeReceipt(receiptOf(account)))
    await pipeline.exec()
  }
  const waiting = async (account: string) => redis.client.xlen(receiptsName(accountShard(account)))
  const stored = async (account: string) => {
    const [row] = await queryRows<{ count: number }>(
      orm,
      sql`select count(*)::int as count from requests where account_id = ${account}::uuid`
    )
    return row!.count
  }
  const copier = (onCopied?: Parameters<typeof createReceiptCopier>[0]['onCopied']) =>
    createReceiptCopier({ database, redis, clock, log: quiet, days: 30, ...(onCopied && { onCopied }) })

  await t.test('copies the receipts of all shards once, by several replicas at once, and forgets them', async () => {
    const accounts = Array.from({ length: 20 }, () => randomUUID())
    const receipts = accounts.flatMap((account) => Array.from({ length: 30 }, () => receiptOf(account)))
    await note(receipts)
    await Promise.all([copier().runOnce(), copier().runOnce()])
    for (const account of accounts) {
      assert.equal(await stored(account), 30)
      assert.equal(await waiting(account), 0)
    }
  })

  await t.test('a copy that fails before it forgets is repeated without a second row', async () => {
    const account = randomUUID()
    await noteMany(account, 300)
    const counts: number[] = []
    const failing = copyReceipts({
      redis,
      beginAt: 7,
      hasBacklog: true,
      store: async (receipts) => {
        counts.push(receipts.length)
        throw new Error('the database is away')
      }
    })
    await assert.rejects(failing, /the database is away/)
    assert.ok(counts[0]! >= 250)
    assert.equal(await waiting(account), 300)
    let copied = 0
    await copier((done) => {
      copied = done.copied
    }).runOnce()
    assert.equal(copied, 300)
    assert.equal(await stored(account), 300)
  })

  await t.test(
    'an account that floods its shard keeps no other from the log, and its rest is copied at once',
    async () => {
      const [flooding, other] = [randomUUID(), randomUUID()]
      await noteMany(flooding, 10_000)
      await note([receiptOf(other)])
      const { promise: isCopied, resolve } = Promise.withResolvers<void>()
      const rests: string[] = []
      const loop = createReceiptCopier({
        database,
        redis,
        clock,
        log: quiet,
        days: 30,
        intervalMs: 3_600_000,
        onCopied({ rest }) {
          rests.push(rest)
          if (rest === 'none') resolve()
        }
      })
      loop.start()
      await isCopied
      await loop.stop()
      assert.equal(rests[0], 'ours')
      assert.equal(await stored(other), 1)
      assert.equal(await stored(flooding), 10_000)
      assert.equal(await waiting(flooding), 0)
    }
  )

  await t.test('replicas do not copy the same long shard: who finds its receipts stored leaves it', async () => {
    const account = randomUUID()
    await noteMany(account, 4100)
    let reads = 0
    const store = async (receipts: readonly Receipt[]) => {
      reads++
      return { changed: Math.floor(receipts.length / 4), skipped: zero }
    }
    const { rest } = await copyReceipts({ redis, beginAt: 0, hasBacklog: false, store })
    assert.equal(rest, 'others')
    assert.equal(reads, 1)
    await copier().runOnce()
  })

  await t.test(
    'the receipts of all shards are stored together, so that the log is no further behind than the ledger',
    async () => {
      const receipts = Array.from({ length: 200 }, () => receiptOf(randomUUID()))
      await note(receipts)
      const counts: number[] = []
      const store = async (some: readonly Receipt[]) => {
        counts.push(some.length)
        return { changed: some.length, skipped: zero }
      }
      const { copied, rest } = await copyReceipts({ redis, beginAt: 40, hasBacklog: false, store })
      assert.deepEqual([copied, rest, counts], [200, 'none', [200]])
    }
  )

  await t.test('what cannot be stored keeps the receipts of few other shards in Redis', async () => {
    const [bad, ...others] = [1, 2, 120, 220].map(accountOfShard)
    await note([bad!, ...others].map((account) => receiptOf(account)))
    const stored: string[] = []
    const store = async (some: readonly Receipt[]) => {
      if (some.some(({ account }) => account === bad)) throw new Error('one receipt cannot be stored')
      stored.push(...some.map(({ account }) => account))
      return { changed: some.length, skipped: zero }
    }
    await assert.rejects(copyReceipts({ redis, beginAt: 0, hasBacklog: true, store }), /one receipt/)
    assert.deepEqual(stored, others.slice(1))
    assert.equal(await waiting(bad!), 1)
    await copier().runOnce()
  })

  await t.test('texts that are no receipts are skipped and counted', async () => {
    const account = randomUUID()
    await noteReceipts(redis, accountShard(account), ['nonsense', encodeReceipt(receiptOf(account))], roomy)
    let skipped = zero
    await copier((copied) => {
      skipped = { ...copied.skipped }
    }).runOnce()
    assert.deepEqual(skipped, { ...zero, malformed: 1 })
    assert.equal(await stored(account), 1)
    assert.equal(await waiting(account), 0)
  })

  await t.test('addresses of clients are erased after the account’s owner is deleted', async () => {
    const [gone, there] = [randomUUID(), randomUUID()]
    await note([receiptOf(gone, { address: '203.0.113.7' }), receiptOf(there, { address: '203.0.113.8' })])
    await copier().runOnce()
    const at = new Date()
    await orm.insert(users).values({ id: gone, email: '', name: '', syncedAt: at, checkedAt: at, deletedAt: at })
    await copier().runOnce()
    const rows = await queryRows(
      orm,
      sql`select address from requests where account_id in (${gone}, ${there}) order by 1`
    )
    assert.deepEqual(rows, [{ address: '203.0.113.8' }, { address: null }])
  })
})
