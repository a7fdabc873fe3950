import assert from 'node:assert/strict'
import { moveClock } from '@tollgate/state/testing/moved-clock.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { openMigratedDatabase } from '../testing/databases.ts'
import { createClockWatch, judgeClocks } from './clock-watch.ts'

const noon = Date.UTC(2027, 4, 5, 12)
const hour = 3_600_000

const cases: Array<[name: string, clocks: Parameters<typeof judgeClocks>, expected: ReturnType<typeof judgeClocks>]> = [
  [
    'Redis an hour ahead is wrong by an hour',
    [noon, noon + 2, noon + hour],
    { nowMs: noon + 2, skewMs: { own: -2, database: 0, redis: hour - 2 } }
  ],
  [
    'control an hour behind is wrong by an hour',
    [noon - hour, noon, noon + 1],
    { nowMs: noon, skewMs: { own: -hour, database: 0, redis: 1 } }
  ],
  [
    'PostgreSQL an hour ahead does not decide',
    [noon, noon + hour, noon + 1],
    { nowMs: noon + 1, skewMs: { own: -1, database: hour - 1, redis: 0 } }
  ],
  [
    'without Redis, PostgreSQL decides',
    [noon, noon + hour, null],
    { nowMs: noon + hour, skewMs: { own: -hour, database: 0, redis: null } }
  ],
  [
    'without PostgreSQL, the own clock decides',
    [noon, null, noon - hour],
    { nowMs: noon, skewMs: { own: 0, database: null, redis: -hour } }
  ],
  ['alone, the own clock decides', [noon, null, null], { nowMs: noon, skewMs: { own: 0, database: null, redis: null } }]
]

for (const [name, clocks, expected] of cases) {
  test(name, async () => assert.deepEqual(judgeClocks(...clocks), expected))
}

test('the time stays between the two right clocks, however wrong the third is', async () => {
  const skew = fc.integer({ min: -1000, max: 1000 })
  const wrong = fc.integer({ min: -1e11, max: 1e11 })
  fc.assert(
    fc.property(skew, skew, wrong, fc.nat({ max: 2 }), (one, other, third, place) => {
      const clocks = [noon + one, noon + other]
      clocks.splice(place, 0, noon + third)
      const { nowMs } = judgeClocks(clocks[0]!, clocks[1]!, clocks[2]!)
      assert.ok(nowMs >= noon + Math.min(one, other) && nowMs <= noon + Math.max(one, other))
    })
  )
})

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
