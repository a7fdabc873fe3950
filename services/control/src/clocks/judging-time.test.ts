import assert from 'node:assert/strict'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { moveClock } from '@tollgate/state/testing/moved-clock.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { readDatabaseTime } from './database-time.ts'
import { judgingTime } from './judging-time.ts'

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
