import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { forecastMonth, predictEnd } from '../usage/daily-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import { judgeHour } from './check-hours.ts'
import { decideThreshold, defaultThresholds } from './decide-threshold.ts'

const usd = 1e9
const nothing = { percent: 0, spentNanos: 0 }
const amount = fc.integer({ min: 0, max: 1_000 }).map((dollars) => dollars * usd)
const chosen = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 5 })

/** Follows a month of spend and budgets as the watcher does. @returns the thresholds that were told */
function follow(steps: ReadonlyArray<{ spent: number; budget: number }>, thresholds: readonly number[]) {
  let told = nothing
  const mails: Array<{ percent: number; spent: number; budget: number }> = []
  for (const { spent, budget } of steps) {
    const percent = decideThreshold({ spentNanos: spent, budgetNanos: budget, thresholds, told })
    if (percent === null) continue
    told = { percent, spentNanos: spent }
    mails.push({ percent, spent, budget })
  }
  return mails
}

test('while the budget stays, each threshold is told once at most, in order, and never before it is reached', async () => {
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 30 }), amount, chosen, (spends, budget, thresholds) => {
      const mails = follow(
        spends.map((spent) => ({ spent, budget })),
        thresholds
      )
      const percents = mails.map(({ percent }) => percent)
      assert.deepEqual(
        percents,
        [...new Set(percents)].toSorted((a, b) => a - b)
      )
      for (const { percent, spent } of mails) {
        assert.ok(thresholds.includes(percent) && Math.round((100 * spent) / budget) >= percent)
      }
      const reached = thresholds.filter((percent) =>
        spends.some((spent) => spent > 0 && spent / budget >= percent / 100)
      )
      // The highest one that was ever reached is always told.
      if (budget > 0 && reached.length > 0)
        assert.equal(percents.at(-1) ?? 0, Math.max(...reached, percents.at(-1) ?? 0))
    })
  )
})

test('a jump over all thresholds is told once, as the highest', async () => {
  const mails = follow(
    [
      { spent: 4, budget: 10 },
      { spent: 12, budget: 10 },
      { spent: 13, budget: 10 }
    ],
    defaultThresholds
  )
  assert.deepEqual(mails, [{ percent: 100, spent: 12, budget: 10 }])
})

test('after a change of the budget, only what is news is told', async () => {
  const cases: Array<[why: string, steps: Array<[spent: number, budget: number]>, told: number[]]> = [
    [
      'raised a little: the owner knows the spend',
      [
        [80, 100],
        [80, 120],
        [95, 120]
      ],
      [80]
    ],
    [
      'raised a little, then reached',
      [
        [80, 100],
        [80, 120],
        [96, 120],
        [120, 120]
      ],
      [80, 80, 100]
    ],
    [
      'raised far: all thresholds lie ahead',
      [
        [100, 100],
        [100, 1000],
        [500, 1000],
        [800, 1000]
      ],
      [100, 50, 80]
    ],
    [
      'lowered below the spend',
      [
        [40, 100],
        [40, 30]
      ],
      [100]
    ],
    [
      'raised and lowered again',
      [
        [10, 10],
        [10, 50],
        [10, 10]
      ],
      [100]
    ],
    [
      'a credit, and the same spend again',
      [
        [80, 100],
        [20, 100],
        [80, 100]
      ],
      [80]
    ],
    ['no budget', [[80, 0]], []]
  ]
  for (const [why, steps, told] of cases) {
    const mails = follow(
      steps.map(([spent, budget]) => ({ spent, budget })),
      defaultThresholds
    )
    assert.deepEqual(
      mails.map(({ percent }) => percent),
      told,
      why
    )
  }
})

test('what was told is never told again, whatever happens to the budget', async () => {
  const step = fc.record({ spent: amount, budget: amount })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), chosen, (steps, thresholds) => {
      const mails = follow(steps, thresholds)
      for (const [n, { percent, budget, spent }] of mails.entries()) {
        const before = mails[n - 1] ?? { percent: 0, spent: 0 }
        assert.ok(percent > before.percent || spent > before.spent)
        assert.ok(Math.round((100 * spent) / budget) >= percent)
      }
    })
  )
})

const month = new Date('2026-11-01T00:00:00Z').getTime()
const inMonth = fc.integer({ min: 0, max: 30 * 86_400_000 - 1 }).map((ms) => new Date(month + ms))

test('a forecast is the spend so far and the pace of the last days', async () => {
  const now = new Date('2026-11-21T00:00:00Z')
  assert.equal(forecastMonth({ now, spentNanos: 100, dayNanos: [10, 10, 10, 10, 10, 10, 10] }), 200)
  assert.equal(forecastMonth({ now, spentNanos: 100, dayNanos: [0, 0, 0, 0, 10, 0, 20] }), 200)
  assert.equal(forecastMonth({ now, spentNanos: 100, dayNanos: [0, 0, 0, 0, 0, 90, 90] }), null)
  assert.equal(forecastMonth({ now, spentNanos: 0, dayNanos: [] }), null)
})

test('a forecast is never below the spend, grows with the pace, and ends at the spend', async () => {
  const days = fc.array(amount, { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(inMonth, amount, days, (now, spentNanos, dayNanos) => {
      const forecast = forecastMonth({ now, spentNanos, dayNanos })
      const doubled = forecastMonth({ now, spentNanos, dayNanos: dayNanos.map((nanos) => 2 * nanos) })
      if (forecast === null) return assert.equal(doubled, null)
      assert.ok(forecast >= spentNanos && doubled! >= forecast)
      const last = new Date(monthOf(now).to.getTime() - 1)
      assert.ok(forecastMonth({ now: last, spentNanos, dayNanos })! <= spentNanos + Math.max(...dayNanos) / 1e6 + 1)
    })
  )
})

test('an hour is unusual above $10 and five times any hour before, in whatever order those come', async () => {
  assert.equal(judgeHour(10 * usd, []), null)
  assert.deepEqual(judgeHour(10 * usd + 1, []), { spentNanos: 10 * usd + 1, usualNanos: 0 })
  assert.equal(judgeHour(100 * usd, [20 * usd]), null)
  fc.assert(
    fc.property(amount, fc.array(amount), amount, (spent, hours, more) => {
      const judged = judgeHour(spent, hours)
      assert.deepEqual(judgeHour(spent, hours.toReversed()), judged)
      if (judged === null) assert.equal(judgeHour(spent, [...hours, more]), null)
      else {
        assert.ok(hours.every((hour) => spent > 5 * hour) && spent > 10 * usd)
        assert.ok(judgeHour(spent + more, hours) !== null)
      }
    })
  )
})

test('a budget ends when the pace of the last days has used what is left, and only before it resets', async () => {
  const now = new Date('2026-11-18T12:00:00Z')
  const left = { now, leftNanos: 30, dayNanos: [0, 0, 0, 0, 10, 5, 15] }
  const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
  assert.deepEqual(predictEnd({ ...left, resetsAt: inDays(3.5) }), inDays(3))
  assert.equal(predictEnd({ ...left, resetsAt: inDays(2.5) }), null)
  assert.deepEqual(predictEnd({ ...left, resetsAt: null }), inDays(3))
  assert.equal(predictEnd({ ...left, leftNanos: 1e6, resetsAt: null }), null, 'not in ten years')
  assert.equal(predictEnd({ ...left, leftNanos: 0, resetsAt: null }), null)
  assert.equal(predictEnd({ ...left, dayNanos: [0, 0, 0, 0, 0, 9, 9], resetsAt: null }), null)
})
