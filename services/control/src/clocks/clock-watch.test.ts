import assert from 'node:assert/strict'
import { moveClock } from '@tollgate/state/testing/moved-clock.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { createClockWatch } from './clock-watch.ts'

const hourMs = 3_600_000

testOnEveryRedis('clock watch', async (t, anyLink) => {
  const database = await openMigratedDatabase()
  t.after(() => database.close())
  const { link, set } = moveClock(anyLink)
  link.nodes = () => [link]

  /** Moves the clocks of control and Redis; PostgreSQL's is right. */
  function watchClocks() {
    const logged: Array<[level: string, clock: string, seconds: number]> = []
    let ownMs = 0
    const record = (level: string) => (members: unknown) => {
      const { clock, skewSeconds } = members as { clock: string; skewSeconds: number }
      logged.push([level, clock, skewSeconds])
    }
    const log = { info: record('info'), warn: record('warn'), error: record('error') }
    const watch = createClockWatch({ database, redis: link, clock: () => new Date(Date.now() + ownMs), log })
    return {
      logged,
      /** How far the corrected clock is off, seconds. */
      offBy: () => Math.round((watch.rightClock().getTime() - Date.now()) / 1000),
      async look(moved: { ownMs?: number; redisMs?: number }) {
        ownMs = moved.ownMs ?? 0
        await set((Date.now() + (moved.redisMs ?? 0)) * 1000)
        await watch.look()
      }
    }
  }
  /** Tolerates 30 seconds: the machine may be slow while the clocks are read. */
  function assertLogged(logged: Array<[string, string, number]>, expected: Array<[string, string, number]>) {
    assert.deepEqual(
      logged.map(([level, clock]) => [level, clock]),
      expected.map(([level, clock]) => [level, clock])
    )
    for (const [index, [, , seconds]] of logged.entries()) assert.ok(Math.abs(seconds - expected[index]![2]) < 30)
  }

  t.test('a clock less than a minute off is not logged', async () => {
    const { logged, look } = watchClocks()
    await look({})
    await look({ redisMs: -20_000 })
    assertLogged(logged, [])
  })

  t.test('the corrected clock is right after a comparison, and follows a clock less than a minute off', async () => {
    const { look, offBy } = watchClocks()
    for (const ownMs of [hourMs, -hourMs, 0]) {
      await look({ ownMs })
      assert.ok(Math.abs(offBy()) < 30, String(offBy()))
    }
    await look({ ownMs: 50_000 })
    assert.ok(offBy() > 20, String(offBy()))
  })

  t.test('a wrong clock of Redis is logged as an error once, and again as info when it is right', async () => {
    for (const redisMs of [hourMs, -hourMs]) {
      const { logged, look } = watchClocks()
      await look({ redisMs })
      await look({ redisMs })
      assertLogged(logged, [['error', 'Redis', redisMs / 1000]])
      await look({})
      assertLogged(logged.slice(1), [['info', 'Redis', 0]])
    }
  })

  t.test('a wrong clock of control is logged as a clock of control', async () => {
    for (const ownMs of [hourMs, -hourMs]) {
      const { logged, look } = watchClocks()
      await look({ ownMs })
      assertLogged(logged, [['error', 'control', ownMs / 1000]])
    }
  })
})
