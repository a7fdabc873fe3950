import assert from 'node:assert/strict'
import { moveClock } from '@tollgate/state/testing/moved-clock.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { createClockWatch } from './clock-watch.ts'

const hourMs = 3_600_000

testOnEveryRedis('clock watch', async (t, anyLink) => {
  const database = await openMigratedDatabase('pglite:memory')
  t.after(() => database.close())
  const { link, set } = moveClock(anyLink)
  link.nodes = () => [link]

  /** The clocks of control and Redis are moved by so much; PostgreSQL's is right. */
  function watchClocks() {
    const told: Array<[level: string, clock: string, seconds: number]> = []
    let ownMs = 0
    const tell = (level: string) => (said: unknown) => {
      const { clock, skewSeconds } = said as { clock: string; skewSeconds: number }
      told.push([level, clock, skewSeconds])
    }
    const log = { info: tell('info'), error: tell('error') }
    const watch = createClockWatch({ database, redis: link, clock: () => new Date(Date.now() + ownMs), log })
    return {
      told,
      async look(moved: { ownMs?: number; redisMs?: number }) {
        ownMs = moved.ownMs ?? 0
        await set((Date.now() + (moved.redisMs ?? 0)) * 1000)
        await watch.look()
      }
    }
  }
  /** Other things run on the machine while the clocks are read. */
  function assertTold(told: Array<[string, string, number]>, expected: Array<[string, string, number]>) {
    assert.deepEqual(
      told.map(([level, clock]) => [level, clock]),
      expected.map(([level, clock]) => [level, clock])
    )
    for (const [index, [, , seconds]] of told.entries()) assert.ok(Math.abs(seconds - expected[index]![2]) < 30)
  }

  t.test('right clocks, and one that is less than a minute off, are not told of', async () => {
    const { told, look } = watchClocks()
    await look({})
    await look({ redisMs: -20_000 })
    assertTold(told, [])
  })

  t.test('that of Redis, ahead or behind, is an error once, and told of when it is right again', async () => {
    for (const redisMs of [hourMs, -hourMs]) {
      const { told, look } = watchClocks()
      await look({ redisMs })
      await look({ redisMs })
      assertTold(told, [['error', 'Redis', redisMs / 1000]])
      await look({})
      assertTold(told.slice(1), [['info', 'Redis', 0]])
    }
  })

  t.test('that of control is told of as its own, not as those of the others', async () => {
    for (const ownMs of [hourMs, -hourMs]) {
      const { told, look } = watchClocks()
      await look({ ownMs })
      assertTold(told, [['error', 'control', ownMs / 1000]])
    }
  })
})
