import assert from 'node:assert/strict'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountShards, catalogName, type Shard } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyRound } from '../usage/usage-copier.ts'
import { createPostgresSource } from './postgres-source.ts'
import { runPass } from './projection-pass.ts'
import { recordChange } from './record-change.ts'
import { recoverFromRedis } from './restore.ts'
import { seedKeys } from './testing/ask-as-gateway.ts'

test('a backup that is restored after an older one, into an empty Redis, keeps its keys', async (t) => {
  const [server, older, later] = await Promise.all([leaseRedis(), openMigratedDatabase(), openMigratedDatabase()])
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 5000, onError: (error) => t.error(error) })
  t.after(async () => {
    await redis.close()
    await Promise.all([server.giveBack(), older.close(), later.close()])
  })
  await redis.ready()
  await seedKeys(older.orm, { count: 1, accounts: 1 })
  await seedKeys(later.orm, { count: 2, accounts: 1 })

  assert.equal((await recoverFromRedis(older.orm, redis)).redis, 'empty')
  // More changes than the later backup has.
  for (let change = 0; change < 5; change++) await older.orm.transaction((tx) => recordChange(tx, accountShards))
  await runPass(createPostgresSource(older.orm), redis, new AbortController().signal)

  const endings = { revoked: [], rotated: [] }
  assert.deepEqual(await recoverFromRedis(later.orm, redis), { redis: 'later', kept: endings, isRepeated: false })
})

test('a run with a wrong Redis, or one that failed, hides no revocation from the next run', async (t) => {
  const [server, wrongServer, served, restored] = await Promise.all([
    leaseRedis(),
    leaseRedis(),
    openMigratedDatabase(),
    openMigratedDatabase()
  ])
  const connect = ({ url }: { url: string }) =>
    connectServer(url, { name: 'test', silenceTimeoutMs: 5000, onError: (error) => t.error(error) })
  const [redis, wrong] = [connect(server), connect(wrongServer)]
  t.after(async () => {
    await Promise.all([redis.close(), wrong.close()])
    await Promise.all([server.giveBack(), wrongServer.giveBack(), served.close(), restored.close()])
  })
  await Promise.all([redis.ready(), wrong.ready()])
  const pass = (orm: Orm, link: RedisLink) => runPass(createPostgresSource(orm), link, new AbortController().signal)
  const keyIds = [1, 2, 3].map((number) => `key_${String(number).padStart(24, '0')}`)
  for (const { orm } of [served, restored]) await seedKeys(orm, { count: 3, accounts: 1 })
  // An older copy: Redis without the revocations.
  await pass(served.orm, wrong)
  for (const id of keyIds.slice(0, 2)) await revoke(served.orm, id)
  await pass(served.orm, redis)

  const run = (link: RedisLink) => recoverFromRedis(restored.orm, link)
  assert.partialDeepStrictEqual(await run(wrong), { redis: 'not later', kept: { revoked: [] }, isRepeated: false })
  await wrong.nodeOf(catalogName).client.flushall()
  assert.partialDeepStrictEqual(await run(wrong), { redis: 'empty', kept: { revoked: [] }, isRepeated: true })
  assert.partialDeepStrictEqual(await run(redis), { redis: 'later', isRepeated: true })
  const revoked = await restored.orm.select({ id: keys.id }).from(keys).where(eq(keys.status, 'revoked'))
  assert.deepEqual(revoked.map(({ id }) => id).toSorted(), keyIds.slice(0, 2))

  // Once control has started, the epoch stays raised.
  assert.partialDeepStrictEqual(await run(redis), { kept: { revoked: [] }, isRepeated: true })
  while ((await pass(restored.orm, redis)).restored);
  assert.partialDeepStrictEqual(await run(redis), { redis: 'not later', isRepeated: false })
})

test('the ledger gets the usage since the backup from Redis, also if no key has changed since', async (t) => {
  const [server, restored] = await Promise.all([leaseRedis(), openMigratedDatabase()])
  const { orm } = restored
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 5000, onError: (error) => t.error(error) })
  t.after(async () => {
    await redis.close()
    await Promise.all([server.giveBack(), restored.close()])
  })
  await redis.ready()
  await seedKeys(orm, { count: 1, accounts: 1 })
  await runPass(createPostgresSource(orm), redis, new AbortController().signal)
  const [key] = await orm.select().from(keys)
  const { costNanos } = await serve(redis, key!.accountId, { key: key!.id })
  const store = createPostgresLedger(orm)
  await copyRound(store, redis, 0, {})
  // As in a backup of the time before the request.
  await orm.delete(ledger)

  assert.equal((await recoverFromRedis(orm, redis)).redis, 'not later')
  await copyRound(store, redis, 0, {})
  assert.deepEqual(await orm.select({ costNanos: ledger.costNanos }).from(ledger), [{ costNanos }])
})

async function revoke(orm: Orm, id: string): Promise<void> {
  await orm.transaction(async (tx) => {
    const [key] = await tx.select().from(keys).where(eq(keys.id, id))
    const version = await recordChange(tx, [key!.accountShard as Shard, key!.secretShard as Shard])
    await tx.update(keys).set({ status: 'revoked', revokedAt: new Date(), version }).where(eq(keys.id, id))
  })
}
