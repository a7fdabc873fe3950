import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type BudgetWindow, budgetWindows, windowBegins, windowEnds, windowNumber } from './budget-windows.ts'

/** From 1970 to 2200. */
const time = fc.integer({ min: 0, max: Date.UTC(2200, 0) - 1 })
const calendar = budgetWindows.filter((window) => window !== 'lifetime')

/** The first moment of a window by the calendar, digit by digit. */
function reference(window: BudgetWindow, at: number): string {
  const date = new Date(at)
  if (window === 'month') return `${date.toISOString().slice(0, 7)}-01T00:00:00.000Z`
  if (window === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return `${date.toISOString().slice(0, 10)}T00:00:00.000Z`
}

test('a moment is in the day, week and month of the calendar, and in no other', async () => {
  fc.assert(
    fc.property(time, fc.constantFrom(...calendar), (at, window) => {
      const number = windowNumber(window, at)
      const [begins, ends] = [windowBegins(window, number)!, windowEnds(window, number)!]
      assert.equal(new Date(begins).toISOString(), reference(window, at))
      assert.ok(begins <= at && at < ends)
      assert.deepEqual(
        [windowNumber(window, ends - 1), windowBegins(window, windowNumber(window, ends))],
        [number, ends]
      )
      assert.ok(windowNumber(window, ends) > number)
    })
  )
})

test('a week begins on Monday, also over the end of a month and of a year', async () => {
  const week = (text: string) => windowNumber('week', Date.parse(text))
  assert.equal(week('2026-11-30T00:00:00Z'), week('2026-12-06T23:59:59.999Z'))
  assert.equal(week('2026-12-28T00:00:00Z'), week('2027-01-03T23:59:59.999Z'))
  assert.equal(week('2026-11-29T23:59:59.999Z') + 1, week('2026-11-30T00:00:00Z'))
})

test('a lifetime has one window, which never ends', async () => {
  assert.deepEqual([windowNumber('lifetime', 0), windowNumber('lifetime', Date.now())], [1, 1])
  assert.deepEqual([windowBegins('lifetime', 1), windowEnds('lifetime', 1)], [null, null])
})
