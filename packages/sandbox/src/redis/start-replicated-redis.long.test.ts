import assert from 'node:assert/strict'
import { test } from 'tap'
import { need } from '../need.ts'
import { findRedisServer } from './find-redis-server.ts'
import { makeCertificate } from './running-redis.ts'
import { startReplicatedRedis } from './start-replicated-redis.ts'
import { askRedisInfo, untilInfo } from './until-redis.ts'

const program = findRedisServer(process.env)

test('Sentinels promote the replica of a killed master; servers and Sentinels require passwords and TLS', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const access = { password: 'a secret of servers', tls }
  const redis = await startReplicatedRedis({ program, ...access, sentinelPassword: 'another' })
  t.after(() => redis.stop())
  const [master, replica] = redis.servers
  const [sentinel] = redis.sentinels
  assert.ok(master !== undefined && replica !== undefined && sentinel !== undefined)
  assert.equal((await askRedisInfo(replica.port, access))?.get('master_link_status'), 'up')
  for (const { port } of [master, sentinel]) {
    assert.equal(await askRedisInfo(port, { tls }), null)
    assert.equal(await askRedisInfo(port, { password: 'another' }), null)
  }
  assert.match((await askRedisInfo(sentinel.port, { tls, password: 'another' }))?.get('master0') ?? '', /sentinels=3$/)

  await master.kill('SIGKILL')
  await untilInfo(replica.port, access, 'the master', (info) => info.get('role') === 'master')
  await master.start()
  assert.equal((await askRedisInfo(master.port, access))?.get('tcp_port'), String(master.port))
})
