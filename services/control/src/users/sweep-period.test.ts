import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { pageSize, pauseMs, sweepPeriodMs } from './sweep-users.ts'

const minute = 60_000

test('up to 10,000 users are compared every 10 minutes; above, the period grows in proportion', async () => {
  for (const [users, minutes] of [
    [0, 10],
    [1, 10],
    [9_999, 10],
    [10_000, 10],
    [20_000, 20],
    [60_000, 60],
    [1_000_000, 1000]
  ] as const) {
    assert.equal(sweepPeriodMs(users), minutes * minute, String(users))
  }
})

test('more users never shorten the period, and a comparison uses a small part of it', async () => {
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), fc.nat({ max: 1000 }), (users, more) => {
      const period = sweepPeriodMs(users)
      assert(Number.isSafeInteger(period) && sweepPeriodMs(users + more) >= period)
      // The last page is empty.
      const pages = Math.ceil(users / pageSize) + 1
      assert(pages / (period / 1000) <= 0.1, 'one page in 10 s on average')
      assert(pages * pauseMs < period / 10)
    })
  )
})
