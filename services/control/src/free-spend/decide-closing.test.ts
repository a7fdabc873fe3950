import assert from 'node:assert/strict'
import { test } from 'tap'
import { dayOf, freeClosing } from '../usage/free-spend-limit.ts'

const at = (text: string) => Date.parse(text)

test('the free offer is closed from the limit on, until the next midnight in UTC', async () => {
  const midnight = at('2026-12-01T00:00:00Z')
  const cases: Array<[now: string, limit: bigint | null, spent: bigint, until: number]> = [
    ['2026-11-30T00:00:00Z', 20n, 19n, 0],
    ['2026-11-30T00:00:00Z', 20n, 20n, midnight],
    ['2026-11-30T23:59:59.999Z', 20n, 21n, midnight],
    ['2026-12-01T00:00:00Z', 20n, 21n, at('2026-12-02T00:00:00Z')],
    // A correction may come before the row that it corrects.
    ['2026-11-30T12:00:00Z', 20n, -1n, 0],
    ['2026-11-30T12:00:00Z', null, 10n ** 18n, 0]
  ]
  for (const [now, limit, spent, until] of cases) {
    assert.equal(freeClosing(limit, spent, dayOf(at(now))), until, `${now}: ${spent} of ${limit}`)
  }
})

test('a day has 24 hours, and the next one begins where it ends', async () => {
  const day = dayOf(at('2026-11-30T23:59:59.999Z'))
  assert.deepEqual(day, { from: at('2026-11-30T00:00:00Z'), to: at('2026-12-01T00:00:00Z') })
  assert.equal(dayOf(day.to).from, day.to)
})
