import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { countBuckets, maxBuckets, monthOf, usageRange } from './usage-range.ts'

const now = new Date('2026-11-21T10:20:30.400Z')
const range = (query: Parameters<typeof usageRange>[0]) => {
  const { from, to, interval } = usageRange(query, now)
  return [from.toISOString(), to.toISOString(), interval]
}

test('the default range is the last 30 days by day, including this hour', async () => {
  assert.deepEqual(range({}), ['2026-10-22T11:00:00.000Z', '2026-11-21T11:00:00.000Z', 'day'])
})

test('both ends widen to whole hours in every time zone', async () => {
  assert.deepEqual(range({ from: '2026-11-01T05:45:00+05:30', to: '2026-11-01T02:00:00.001Z', interval: 'hour' }), [
    '2026-11-01T00:00:00.000Z',
    '2026-11-01T03:00:00.000Z',
    'hour'
  ])
  assert.deepEqual(range({ to: '2026-11-01T02:00:00Z' })[1], '2026-11-01T02:00:00.000Z')
})

test('empty, out-of-bounds, invalid and too long ranges are refused', async () => {
  const refused: Array<[Parameters<typeof usageRange>[0], RegExp]> = [
    [{ from: '2026-11-21T10:00:00Z', to: '2026-11-21T10:00:00Z' }, /from: must be before to/],
    [{ from: '2026-11-22T10:00:00Z' }, /from: must be before to/],
    [{ from: '1999-12-31T23:59:59Z' }, /from: must be a time between/],
    [{ to: '2100-01-01T00:00:00.001Z' }, /to: must be a time between/],
    [{ to: '2026-12-31T23:59:60Z' }, /to: must be a time between/],
    [{ to: '2026-02-30T00:00:00Zebra' }, /to: must be a time between/],
    [{ from: '2025-01-01T00:00:00Z', to: '2026-11-21T00:00:00Z', interval: 'hour' }, /more than 10000 buckets/],
    [{ from: '2000-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', interval: 'day' }, /more than 10000 buckets/]
  ]
  for (const [query, message] of refused) {
    assert.throws(() => usageRange(query, now), { code: 'invalid_request', message })
  }
  assert.equal(range({ from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', interval: 'month' })[2], 'month')
})

test('buckets are counted by the calendar', async () => {
  const instant = fc
    .integer({ min: Date.UTC(2020, 0) / 3_600_000, max: Date.UTC(2021, 3) / 3_600_000 })
    .map((hour) => new Date(hour * 3_600_000))
  const prefixLengths = { hour: 13, day: 10, month: 7 } as const
  fc.assert(
    fc.property(instant, instant, fc.constantFrom('hour', 'day', 'month'), (a, b, interval) => {
      fc.pre(a < b)
      const starts = new Set<string>()
      for (let time = a.getTime(); time < b.getTime(); time += 3_600_000) {
        starts.add(new Date(time).toISOString().slice(0, prefixLengths[interval]))
      }
      assert.equal(countBuckets({ from: a, to: b, interval }), starts.size)
    }),
    { numRuns: 30 }
  )
  assert.equal(maxBuckets, 10_000)
})

test('a month is in UTC, also at the end of a year', async () => {
  assert.deepEqual(monthOf(new Date('2026-12-31T23:59:59.999Z')), {
    from: new Date('2026-12-01T00:00:00Z'),
    to: new Date('2027-01-01T00:00:00Z')
  })
  assert.deepEqual(monthOf(new Date('2027-01-01T00:00:00Z')).from, new Date('2027-01-01T00:00:00Z'))
})
