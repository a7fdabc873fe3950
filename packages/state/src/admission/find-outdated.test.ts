import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedisCluster } from '@tollgate/sandbox/redis/start-redis-cluster.ts'
import { test } from 'tap'
import { connectRedis } from '../link/connect-redis.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { activeKey } from '../testing/active-key.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { findOutdated, type JudgedKey } from './find-outdated.ts'

const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

/** Stores keys of several accounts, as they were judged. */
async function storeKeys(link: RedisLink): Promise<JudgedKey[]> {
  const stored: JudgedKey[] = []
  for (let n = 0; n < 40; n++) {
    const account = crypto.randomUUID()
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, activeKey)
    stored.push({ account, key: 'key_1', judged: { key: '11', account: '10' } })
  }
  return stored
}

/** Asserts that only keys with another version of their key or account are found. */
async function assertFinds(link: RedisLink): Promise<void> {
  const asked = await storeKeys(link)
  assert.deepEqual(await findOutdated(link, asked), { outdated: [], error: null })
  await putKeyRecord(link, asked[3]!.account, 'key_1', 12, { ...activeKey, status: 'revoked' })
  await putAccountRecord(link, asked[7]!.account, 12, { ...free, status: 'suspended' })
  const { outdated, error } = await findOutdated(link, asked)
  assert.deepEqual([new Set(outdated), error], [new Set([asked[3], asked[7]]), null])
}

testOnEveryRedis('search for outdated records', async (t, link) => {
  t.test('a key is found if its record or that of its account has another version', () => assertFinds(link))

  t.test('a missing record is found if it was judged, and not otherwise', async () => {
    const [account, key] = [crypto.randomUUID(), 'key_1']
    const absent = { account, key, judged: { key: '', account: '' } }
    const lost = { account, key, judged: { key: '11', account: '10' } }
    assert.deepEqual(await findOutdated(link, [absent, lost]), { outdated: [lost], error: null })
  })

  t.test('no keys need no answer', async () => {
    assert.deepEqual(await findOutdated(link, []), { outdated: [], error: null })
  })
})

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

  const asked = (await storeKeys(link)).map((key) => ({ ...key, judged: { key: '9', account: '9' } }))
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
  const { outdated, error } = await findOutdated(half, asked)
  assert.equal(error, away)
  assert.ok(outdated.length > 0 && outdated.length < asked.length)
})
