import assert from 'node:assert/strict'
import { once } from 'node:events'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/make-certificate.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { startReplicatedRedis } from '@tollgate/sandbox/redis/start-replicated-redis.ts'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { accountName, accountShard, allShards, catalogName, type Shard, shardMarker } from '../keyspace/names.ts'
import { slotOf } from '../keyspace/slots.ts'
import { readShards } from '../projection/shard-markers.ts'
import { stampNow } from '../testing/marker.ts'
import { prepareAccount } from '../wire/prepared-account.ts'
import { callForShard } from './call-script.ts'
import { connectRedis, connectServer } from './connect-redis.ts'
import type { RedisLink } from './redis-link.ts'
import { RedisRefusedError } from './refused-error.ts'

const program = findRedisServer(process.env)
const options = { name: 'a-test', silenceLimitMs: 1000, onError: () => {} }
const password = 'pass word'
/** Of the shard a00. */
const account = accountOf('a00')

function accountOf(shard: Shard): string {
  for (let number = 0; ; number++) if (accountShard(`account-${number}`) === shard) return `account-${number}`
}

/** Resolves as soon as all shards can be asked for. */
async function untilWhole(link: RedisLink): Promise<string[]> {
  for (;;) {
    const { markers, failures } = await readShards(link)
    if (failures.length === 0) return [...new Set([...markers.values()].map(({ holder }) => holder))]
    const changed = Promise.withResolvers<void>()
    const end = link.onChange(changed.resolve)
    // A slot that was lost is not told of.
    const limit = setTimeout(changed.resolve, 100)
    await changed.promise
    clearTimeout(limit)
    end()
  }
}

test('a server is reached by TLS with a password, if its certificate is one of the trusted authority', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const server = await startRedis({ port: 0, program, password, tls })
  t.after(() => server.stop())
  const link = connectServer(server.url, options)
  t.after(() => link.close())
  await link.ready()
  await link.client.acl('SETUSER', 'app', 'on', '>p@ss', '~*', '&*', '+@all')
  const named = connectServer(server.url.replace(':pass%20word', 'app:p%40ss'), options)
  t.after(() => named.close())
  await named.ready()
  assert.equal(await named.client.acl('WHOAMI'), 'app')

  for (const [url, reason] of [
    [server.url.replace(/\?.*/, ''), /certificate/],
    [server.url.replace('pass%20word', 'wrong'), /WRONGPASS/]
  ] as const) {
    const failed = Promise.withResolvers<Error>()
    const refused = connectRedis(url, { ...options, onError: failed.resolve })
    t.after(() => refused.close())
    const error = await failed.promise
    assert.match(error.message, reason)
    assert.doesNotMatch(JSON.stringify(error) + error.stack, /wrong"|pass word/)
    assert.equal(refused.isReady(), false)
  }
})

test('a file of the URL that cannot be read is named at once', async () => {
  const url = 'rediss+cluster://:hunter2@localhost?ssl_ca_certs=/nowhere/ca.pem'
  assert.throws(() => connectRedis(url, options), { message: /^REDIS_URL: ssl_ca_certs: \/nowhere\/ca\.pem .*ENOENT/ })
})

test('of servers with Sentinels the master is used, and after a failover the new one, with another run', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const redis = await startReplicatedRedis({ program, password, tls, sentinelPassword: 'another' })
  t.after(() => redis.stop())
  const link = connectRedis(redis.url, options)
  t.after(() => link.close())
  // Whoever waits hears of it.
  await Promise.all([link.ready(), link.ready()])
  assert.equal(link.isSpread, false)
  const [run, ...others] = await untilWhole(link)
  assert.deepEqual(others, [])
  assert.equal(await stampNow(link, 'a00', 1, run!), true)
  // The replica has it too: what it has not is lost with the master.
  assert.equal(await link.nodeOf('a00').client.wait(1, 10_000), 1)

  const heard = Promise.withResolvers<string>()
  t.after(link.subscribe('changes', heard.resolve, () => {}))
  await redis.servers[0]!.kill('SIGKILL')
  assert.throws(() => link.nodeOf('a00').run(), { name: 'RedisAwayError' })
  const [next] = await untilWhole(link)
  assert.notEqual(next, run)
  // It has what was replicated, which is not vouched for there.
  assert.equal((await readShards(link)).markers.get('a00')?.run, run)
  // The subscription may be a moment behind.
  while ((await link.nodes()[0]!.client.publish('changes', 'news')) === 0);
  assert.equal(await heard.promise, 'news')
})

test('in a cluster each shard is with its master, nothing is done in a slot on its way, and new masters are followed', async (t) => {
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

  // Its old master still has all connections, and refuses what is not for it.
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
  for (const shard of allShards) assert.ok(await stampNow(link, shard, 1, 'any run'))
})
