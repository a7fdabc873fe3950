import assert from 'node:assert/strict'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { earliestTime } from './earliest-time.ts'

const year = 365 * 86_400_000
/** Two right clocks may differ by this much, since they are read one after the other. */
const maxDifferenceMs = 60_000

onEachDatabase('the earliest time', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  const server = await leaseRedis()
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(async () => {
    await redis.close()
    await server.giveBack()
    await database.close()
  })
  await redis.ready()
  const skewOf = async (ownMs: number, link: RedisLink | null) =>
    (await earliestTime(database.orm, link, () => new Date(Date.now() + ownMs))).getTime() - Date.now()
  /** A Redis whose clock is off by `ms`. */
  const withClock = (ms: number): RedisLink => {
    const client = { time: async () => [Math.floor((Date.now() + ms) / 1000), 0] }
    const node = { ...redis, client, nodes: () => [node], run: () => 'run', isReady: () => true }
    return node as unknown as RedisLink
  }

  await t.test('a clock that is ahead is ignored', async () => {
    for (const skew of [await skewOf(year, redis), await skewOf(0, withClock(year)), await skewOf(year, null)]) {
      assert.ok(Math.abs(skew) < maxDifferenceMs, `${skew} ms`)
    }
  })

  await t.test('a clock that is behind counts', async () => {
    for (const skew of [await skewOf(-year, redis), await skewOf(0, withClock(-year))]) {
      assert.ok(Math.abs(skew + year) < maxDifferenceMs, `${skew} ms`)
    }
  })

  await t.test('an unavailable Redis is left out', async () => {
    const away = { ...redis, nodes: () => [] }
    assert.ok(Math.abs(await skewOf(year, away)) < maxDifferenceMs)
  })
})
