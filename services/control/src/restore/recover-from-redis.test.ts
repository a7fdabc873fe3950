import assert from 'node:assert/strict'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { accountShards } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { test } from 'tap'
import { createPostgresSource } from '../projection/postgres-source.ts'
import { runPass } from '../projection/projection-pass.ts'
import { recordChange } from '../projection/record-change.ts'
import { seedKeys } from '../projection/testing/seed-keys.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { recoverFromRedis } from './recover-from-redis.ts'

test('a backup that is restored after an older one, into an empty Redis, keeps its keys', async (t) => {
  const [server, older, later] = await Promise.all([
    startRedis({ port: 0 }),
    openMigratedDatabase('pglite:memory'),
    openMigratedDatabase('pglite:memory')
  ])
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 5000, onError: (error) => t.error(error) })
  t.after(async () => {
    await redis.close()
    await Promise.all([server.stop(), older.close(), later.close()])
  })
  await redis.ready()
  await seedKeys(older.orm, { count: 1, accounts: 1 })
  await seedKeys(later.orm, { count: 2, accounts: 1 })

  assert.equal((await recoverFromRedis(older.orm, redis)).redis, 'empty')
  // More changes than the later backup has.
  for (let change = 0; change < 5; change++) await older.orm.transaction((tx) => recordChange(tx, accountShards))
  await runPass(createPostgresSource(older.orm), redis, new AbortController().signal)

  assert.deepEqual(await recoverFromRedis(later.orm, redis), { redis: 'later', kept: { revoked: [], rotated: [] } })
})
