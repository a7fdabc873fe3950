import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { judgeClocks } from './judge-clocks.ts'

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
