import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type Counts, minPerDay, minPerHour, requestsOf, stateOf, uptimeOf } from './success-rule.ts'

const counts = fc.record({ successes: fc.nat(2000), failures: fc.nat(200) })
const min = fc.constantFrom(minPerHour, minPerDay)
const ranks = { down: 0, degraded: 1, good: 2 }
const of = (successes: number, failures: number): Counts => ({ successes, failures })

test('good from 99 % on or with one failure alone, down below half, and unknown with too few requests', async () => {
  const cases: Array<[Counts, string]> = [
    ...([
      [of(990, 10), 'good'],
      [of(989, 10), 'degraded'],
      [of(20, 1), 'good'],
      [of(18, 2), 'degraded']
    ] as const),
    ...([
      [of(50, 50), 'degraded'],
      [of(49, 50), 'down'],
      [of(0, 20), 'down'],
      [of(19, 0), 'unknown']
    ] as const)
  ].map(([one, state]) => [one, state])
  for (const [one, state] of cases) assert.equal(stateOf(one, minPerDay), state, JSON.stringify(one))
  assert.equal(stateOf(of(4, 1), minPerHour), 'good')
})

test('a single failure never looks like an incident', async () => {
  fc.assert(
    fc.property(fc.nat(), min, (successes, least) => {
      const state = stateOf(of(successes, 1), least)
      assert.ok(state === 'good' || (state === 'unknown' && successes + 1 < least))
    })
  )
})

test('failures never raise a state or an uptime, and successes never lower them', async () => {
  fc.assert(
    fc.property(counts, fc.nat(500), min, (one, more, least) => {
      const rank = (each: Counts) => ranks[stateOf(each, least) as keyof typeof ranks]
      if (requestsOf(one) < least) return
      const worse = { ...one, failures: one.failures + more }
      const better = { ...one, successes: one.successes + more }
      assert.ok(rank(worse) <= rank(one) && rank(one) <= rank(better))
      if (uptimeOf(one) !== null) assert.ok(uptimeOf(worse)! <= uptimeOf(one)! && uptimeOf(one)! <= uptimeOf(better)!)
    })
  )
})

test('an uptime is never more than what was measured, and 1 only without a failure', async () => {
  fc.assert(
    fc.property(counts, (one) => {
      const uptime = uptimeOf(one)
      if (uptime === null) return assert.ok(requestsOf(one) < minPerDay)
      assert.ok(uptime <= one.successes / requestsOf(one))
      assert.equal(uptime === 1, one.failures === 0)
    })
  )
})
