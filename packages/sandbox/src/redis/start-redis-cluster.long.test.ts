import assert from 'node:assert/strict'
import { test } from 'tap'
import { need } from '../need.ts'
import { findRedisServer } from './find-redis-server.ts'
import { startRedisCluster } from './start-redis-cluster.ts'
import { askRedisInfo, untilInfo } from './until-redis.ts'

const program = findRedisServer(process.env)

test('a replica takes over from a killed master, which becomes its replica when it is back', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const { masters, replicas, stop } = await startRedisCluster({ program, nodeTimeoutMs: 500 })
  t.after(stop)
  assert.equal(masters.length, 3)
  const [master, other] = masters
  const replica = replicas[0]?.[0]
  assert.ok(master !== undefined && other !== undefined && replica !== undefined)
  assert.equal((await askRedisInfo(replica.port))?.get('master_port'), String(master.port))

  await master.kill('SIGKILL')
  await untilInfo(replica.port, {}, 'a master', (info) => info.get('role') === 'master')
  await master.start()
  await untilInfo(master.port, {}, 'its replica', (info) => info.get('master_port') === String(replica.port))
  // The other masters learn of it a little later.
  await untilInfo(
    other.port,
    { command: 'CLUSTER INFO' },
    'one of three that serve all slots',
    (info) => info.get('cluster_slots_ok') === '16384' && info.get('cluster_size') === '3'
  )
})
