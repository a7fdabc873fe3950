import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { test } from 'tap'
import { countsBetween, openRedisCounters, parseCounts } from './redis-counters.ts'

test('counters are read as Redis writes them', async () => {
  const info = [
    '# Commandstats',
    'cmdstat_evalsha:calls=12,usec=300,usec_per_call=25.00,rejected_calls=0,failed_calls=0',
    'cmdstat_config|get:calls=3,usec=30,usec_per_call=10.00,rejected_calls=0,failed_calls=0',
    '# Stats',
    'total_reads_processed:40',
    'total_net_input_bytes:5000',
    'total_net_output_bytes:70000',
    ''
  ].join('\r\n')
  const counts = { calls: { evalsha: 12, 'config|get': 3 }, reads: 40, bytesIn: 5000, bytesOut: 70000 }
  assert.deepEqual(parseCounts(info), counts)
  assert.throws(() => parseCounts('# Stats\r\n'), /total_reads_processed/)
})

test('reading the counters is not counted, and commands sent together are one read', async (t) => {
  const program = findRedisServer(process.env)
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedis({ port: 0, program })
  t.teardown(() => redis.stop())
  const counters = await openRedisCounters(redis.url)
  t.teardown(() => counters.close())
  const link = connectServer(redis.url, { name: 'test', silenceTimeoutMs: 5000, onError: () => {} })
  t.teardown(() => link.close())
  await link.ready()
  const before = await counters.read()
  assert.partialDeepStrictEqual(countsBetween(before, await counters.read()), { calls: {}, reads: 0 })

  const start = await counters.read()
  await Promise.all([link.client.set('a', 1), link.client.set('b', 2), link.client.get('a')])
  const counts = countsBetween(start, await counters.read())
  assert.partialDeepStrictEqual(counts, { calls: { set: 2, get: 1 }, reads: 1 })
  assert.ok(counts.bytesIn > 60 && counts.bytesIn < 300, `${counts.bytesIn} bytes of three short commands`)
  assert.ok(counts.bytesOut > 10 && counts.bytesOut < 300, `${counts.bytesOut} bytes of three short answers`)
})
