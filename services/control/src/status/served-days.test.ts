import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { dayOf, describeDays, foldDays, type ServedHistory, shownDays } from './served-days.ts'
import { type Counts, requestsOf, sumCounts } from './success-rule.ts'

const today = 20_000
const firstHour = (today - shownDays + 1) * 24
const lastHour = today * 24 + 23
const none: ServedHistory = { recentFrom: 0, days: new Map(), hours: new Map() }
const counts = fc.record({ successes: fc.nat(1000), failures: fc.nat(1000) })
const hours = fc.array(fc.tuple(fc.integer({ min: firstHour, max: lastHour }), counts), { maxLength: 60 })
const ofHours = (all: ReadonlyArray<readonly [number, Counts]>) =>
  new Map(all.map(([hour, one]) => [hour, new Map([['a', one]])]))
const totals = (days: ReturnType<typeof foldDays>) => days.map((day) => day.get('a') ?? { successes: 0, failures: 0 })

/** As PostgreSQL adds up what it keeps. */
function historyOf(kept: ReadonlyMap<number, ReadonlyMap<string, Counts>>, recentFrom: number): ServedHistory {
  const old = [...kept].filter(([hour]) => hour < recentFrom)
  const byDay = Map.groupBy(old, ([hour]) => Math.floor(hour / 24))
  const days = new Map(
    [...byDay].map(([day, some]) => [day, new Map([['a', sumCounts(some.map(([, one]) => one.get('a')!))]])])
  )
  return { recentFrom, days, hours: new Map([...kept].filter(([hour]) => hour >= recentFrom)) }
}

test('a day is the sum of its hours in UTC, wherever recent hours begin', async () => {
  fc.assert(
    fc.property(hours, fc.integer({ min: firstHour, max: lastHour }), (all, recentFrom) => {
      const kept = ofHours(all)
      const expected = Array.from({ length: shownDays }, (_, index) =>
        sumCounts(
          [...kept]
            .filter(([hour]) => Math.floor(hour / 24) === today - shownDays + 1 + index)
            .map(([, one]) => one.get('a')!)
        )
      )
      assert.deepEqual(totals(foldDays(historyOf(kept, recentFrom), new Map(), today)), expected)
    })
  )
})

test('an hour that both PostgreSQL and Redis have counts once, and what one of them lost is there', async () => {
  fc.assert(
    fc.property(hours, fc.array(fc.nat(2)), (all, places) => {
      const complete = ofHours(all)
      const kept = new Map([...complete].filter((_, index) => (places[index] ?? 0) !== 1))
      const measured = new Map([...complete].filter((_, index) => (places[index] ?? 0) !== 2))
      const folded = foldDays({ ...none, hours: kept }, measured, today)
      assert.deepEqual(totals(folded), totals(foldDays(none, complete, today)))
    })
  )
})

test('hours of other days are left out', async () => {
  const folded = foldDays(
    none,
    ofHours([
      [firstHour - 1, { successes: 5, failures: 5 }],
      [lastHour + 1, { successes: 5, failures: 5 }]
    ]),
    today
  )
  assert.ok(totals(folded).every((day) => requestsOf(day) === 0))
})

test('a day with fewer than 20 requests says nothing, but counts in the uptime', async () => {
  const day = (successes: number, failures: number): Counts => ({ successes, failures })
  const empty = Array.from({ length: shownDays - 3 }, () => day(0, 0))
  const history = describeDays([...empty, day(10, 9), day(20, 1), day(60, 0)])
  assert.deepEqual(history.days.slice(-4), ['unknown', 'unknown', 'good', 'good'])
  assert.deepEqual(history.day_uptimes.slice(-4), [null, null, 0.9523, 1])
  assert.deepEqual([history.uptime_30_days, history.uptime_90_days], [0.9, 0.9])
  const before = describeDays([day(0, 20), ...empty, day(0, 0), day(20, 0)])
  assert.deepEqual([before.uptime_30_days, before.uptime_90_days], [1, 0.5])
})

test('midnight in UTC begins a day', async () => {
  const midnight = Date.UTC(2027, 2, 1)
  assert.equal(dayOf(midnight) - dayOf(midnight - 1), 1)
})
