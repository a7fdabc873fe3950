import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { periodEnd } from './periods.ts'

const at = (text: string) => Date.parse(text) / 1000
const iso = (timeS: number) => new Date(timeS * 1000).toISOString()

test('a period ends on the day of the anchor, or on the last day of the month', async () => {
  for (const [anchor, start, interval, expected] of [
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z', 'month', '2026-02-28T10:00:00.000Z'],
    ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', 'month', '2026-03-31T10:00:00.000Z'],
    ['2024-02-29T00:00:01Z', '2024-02-29T00:00:01Z', 'year', '2025-02-28T00:00:01.000Z'],
    ['2024-02-29T00:00:01Z', '2027-02-28T00:00:01Z', 'year', '2028-02-29T00:00:01.000Z'],
    ['2026-12-15T23:59:59Z', '2026-12-15T23:59:59Z', 'month', '2027-01-15T23:59:59.000Z']
  ] as const) {
    assert.equal(iso(periodEnd(at(anchor), at(start), interval)), expected, `${interval} from ${start}`)
  }
})

test('periods have no gaps and keep the day of the anchor', async () => {
  const time = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') })
  const interval = fc.constantFrom('month' as const, 'year' as const)
  fc.assert(
    fc.property(time, interval, (anchorS, interval) => {
      let startS = anchorS
      for (let count = 0; count < 20; count++) {
        const endS = periodEnd(anchorS, startS, interval)
        if (endS <= startS) throw new Error('A period ends before it begins.')
        const [anchor, end] = [new Date(anchorS * 1000), new Date(endS * 1000)]
        const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
        if (end.getUTCDate() !== Math.min(anchor.getUTCDate(), lastDay))
          throw new Error('The day of the month changed.')
        startS = endS
      }
    })
  )
})
