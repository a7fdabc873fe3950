import assert from 'node:assert/strict'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { moveClock } from '@tollgate/state/testing/moved-clock.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { earliestTime, judgingTime, readDatabaseTime } from './clock.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const hourMs = 3_600_000

testOnEveryRedis('the time that decides whether a secret works', async (t, anyLink) => {
  const { orm, close } = await openMigratedDatabase()
  t.after(close)
  const clock = moveClock(anyLink)
  clock.link.nodeOf = () => clock.link

  /** Whether the time that is read lies between two readings of PostgreSQL's clock. */
  async function isOfDatabase(read: () => Promise<Date>): Promise<boolean> {
    const before = Math.floor(await readDatabaseTime(orm))
    const time = (await read()).getTime()
    return time >= before && time <= (await readDatabaseTime(orm))
  }

  t.test('for inference keys it is that of Redis, even if wrong', async () => {
    for (const time of [Date.now() + hourMs, Date.now() - hourMs]) {
      await clock.set(time * 1000)
      assert.equal((await judgingTime(orm, clock.link, account, 'inference')).getTime(), time)
    }
  })

  t.test("for management keys it is PostgreSQL's, even if Redis differs", async () => {
    await clock.set((Date.now() + hourMs) * 1000)
    assert.ok(await isOfDatabase(() => judgingTime(orm, clock.link, account, 'management')))
  })

  t.test("without Redis it is PostgreSQL's", async () => {
    const away: Pick<RedisLink, 'nodeOf'> = {
      nodeOf() {
        throw new RedisAwayError()
      }
    }
    assert.ok(await isOfDatabase(() => judgingTime(orm, away, account, 'inference')))
  })
})

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
