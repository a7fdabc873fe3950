import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { test } from 'tap'
import { servedTag } from '../keyspace/names.ts'
import { connectRedis } from '../link/connect-redis.ts'
import { addServed, readServed } from './served.ts'
import { noneServed } from './served-row.ts'

const program = findRedisServer(process.env)

test('in a Redis Cluster, reports of many hours are added, and read together', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedisCluster({ program, replicas: 0 })
  t.after(() => redis.stop())
  const link = connectRedis(redis.url, { name: 'a-test', silenceTimeoutMs: 5000, onError: assert.ifError })
  t.after(() => link.close())
  // The link is ready with one process; the reports need the process that has their shard.
  await link.ready()
  await link.nodeOf(servedTag).ready()
  const rows = new Map([['a-model', { ...noneServed(), successes: 3 }]])
  const hours = Array.from({ length: 24 }, (_, number) => 500_000 + number)
  for (const [sequence, hour] of hours.entries())
    await addServed(link, { hour, reporter: 'one', sequence: sequence + 1, rows })
  assert.deepEqual(
    await readServed(link, hours),
    hours.map(() => rows)
  )
})
