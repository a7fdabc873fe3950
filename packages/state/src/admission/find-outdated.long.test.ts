import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { test } from 'tap'
import { connectRedis } from '../link/connect-redis.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { assertFinds, storeKeys } from '../testing/redis-content.ts'
import { findOutdated } from './find-outdated.ts'

test('in a cluster, keys of all masters are found, and the keys of a lost master hide no others', async (t) => {
  const program = findRedisServer(process.env)
  if (!need(t, 'redis-server', program)) return
  const redis = await startRedisCluster({ program, nodeTimeoutMs: 500 })
  t.after(() => redis.stop())
  const link = connectRedis(redis.url, { name: 'test', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(() => link.close())
  await link.ready()
  while (link.nodes().length < 3 || !link.nodes().every((node) => node.isReady())) {
    await new Promise<void>((resolve) => {
      const forget = link.onChange(() => {
        forget()
        resolve()
      })
    })
  }
  await assertFinds(link)

  const keys = (await storeKeys(link)).map((key) => ({ ...key, judged: { key: '9', account: '9' } }))
  const away = new Error('this master is away')
  const [lost] = link.nodes()
  const half: RedisLink = Object.assign(Object.create(link), {
    isSpread: true,
    nodeOf(tag: string) {
      const node = link.nodeOf(tag)
      if (node === lost) throw away
      return node
    }
  })
  const { outdated, error } = await findOutdated(half, keys)
  assert.equal(error, away)
  assert.ok(outdated.length > 0 && outdated.length < keys.length)
})
