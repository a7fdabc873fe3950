import assert from 'node:assert/strict'
import { once } from 'node:events'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import { Redis } from 'ioredis'
import { test } from 'tap'
import {
  accountName,
  accountShard,
  allShards,
  catalogName,
  type Shard,
  shardMarker,
  slotOf
} from '../keyspace/names.ts'
import { readShards } from '../projection/shard-markers.ts'
import { verifyNow } from '../testing/redis-content.ts'
import { prepareAccount } from '../wire/packed.ts'
import { callForShard } from './call-script.ts'
import { connectRedis } from './connect-redis.ts'
import { RedisRefusedError } from './execute.ts'
import type { RedisLink } from './redis-link.ts'

const program = findRedisServer(process.env)
const options = { name: 'a-test', silenceTimeoutMs: 1000, onError: () => {} }
/** An account of the shard a00. */
const account = accountOf('a00')

function accountOf(shard: Shard): string {
  for (let number = 0; ; number++) if (accountShard(`account-${number}`) === shard) return `account-${number}`
}

/** Resolves with the run ids when all shards can be read. */
async function untilWhole(link: RedisLink): Promise<string[]> {
  for (;;) {
    const { markers, failures } = await readShards(link)
    if (failures.length === 0) return [...new Set([...markers.values()].map(({ currentRunId }) => currentRunId))]
    const changed = Promise.withResolvers<void>()
    const end = link.onChange(changed.resolve)
    // A lost slot causes no change event.
    const timer = setTimeout(changed.resolve, 100)
    await changed.promise
    clearTimeout(timer)
    end()
  }
}

test('with Sentinels, commands go to the master, and after a failover to the new master with another run id', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const redis = await startReplicatedRedis({ program, password: 'pass word', tls, sentinelPassword: 'another' })
  t.after(() => redis.stop())
  const link = connectRedis(redis.url, options)
  t.after(() => link.close())
  // Several callers may wait.
  await Promise.all([link.ready(), link.ready()])
  assert.equal(link.isSpread, false)
  const [run, ...others] = await untilWhole(link)
  assert.deepEqual(others, [])
  assert.equal(await verifyNow(link, 'a00', 1, run!), true)
  // Waits until the replica has the marker too.
  assert.equal(await link.nodeOf('a00').client.wait(1, 10_000), 1)

  const heard = Promise.withResolvers<string>()
  t.after(link.subscribe('changes', heard.resolve, () => {}))
  await redis.servers[0]!.kill('SIGKILL')
  assert.throws(() => link.nodeOf('a00').run(), { name: 'RedisAwayError' })
  const [next] = await untilWhole(link)
  assert.notEqual(next, run)
  // The new master has the replicated marker, but the marker names another run.
  assert.equal((await readShards(link)).markers.get('a00')?.run, run)
  // The subscription may be a moment behind.
  while ((await link.nodes()[0]!.client.publish('changes', 'news')) === 0);
  assert.equal(await heard.promise, 'news')
})

test('in a cluster, shards follow their masters, and scripts in a moving slot change nothing', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedisCluster({ program, nodeTimeoutMs: 500 })
  t.after(() => redis.stop())
  const link = connectRedis(redis.url, options)
  t.after(() => link.close())
  await link.ready()
  assert.equal(link.isSpread, true)
  const runs = await untilWhole(link)
  assert.equal(runs.length, 3)
  const { client } = link.nodeOf('a00')
  for (const name of [...allShards.slice(0, 20).map(shardMarker), catalogName, 'attempts:lögin']) {
    const tag = /\{(.*)\}/.exec(name)?.[1] ?? name
    assert.equal(await client.cluster('KEYSLOT', name), slotOf(tag))
  }

  const slot = slotOf('a00')
  const other = link.nodes().find((node) => node !== link.nodeOf('a00'))!
  const [from, to] = await Promise.all([client.cluster('MYID'), other.client.cluster('MYID')])
  await client.hset(accountName(account), { any: 1 })
  await other.client.cluster('SETSLOT', slot, 'IMPORTING', String(from))
  await client.cluster('SETSLOT', slot, 'MIGRATING', String(to))
  const question = { keyCount: 1, keys: prepareAccount(account).name, argumentCount: 0, rest: '' }
  await assert.rejects(callForShard(link, 'a00', 'tgAdmit', question), RedisRefusedError)
  await Promise.all([client, other.client].map((one) => one.cluster('SETSLOT', slot, 'STABLE')))
  assert.deepEqual(await callForShard(link, 'a00', 'tgAdmit', question), '')

  // The old master keeps its connections after a planned failover, but refuses commands.
  const replica = new Redis(redis.replicas[0]![0]!.port, { retryStrategy: null })
  t.after(() => replica.disconnect())
  const { client: before } = link.nodes()[0]!
  const closed = once(before, 'close')
  await replica.cluster('FAILOVER')
  await closed
  const planned = await untilWhole(link)
  assert.equal(planned.filter((run) => runs.includes(run)).length, 2)

  await redis.masters[1]!.kill('SIGKILL')
  const sudden = await untilWhole(link)
  assert.equal(sudden.filter((run) => planned.includes(run)).length, 2)
  for (const shard of allShards) assert.ok(await verifyNow(link, shard, 1, 'any run'))
})
