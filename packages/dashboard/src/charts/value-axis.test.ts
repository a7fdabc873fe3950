import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { formatUsd } from '../format/money.ts'
import { formatCompact } from '../format/number.ts'
import { valueAxis } from './value-axis.ts'

test('the axis of counts has whole numbers only, and covers the highest one', async () => {
  assert.deepEqual(valueAxis(0, true, formatCompact).ticks, [0, 1])
  assert.deepEqual(valueAxis(1, true, formatCompact).ticks, [0, 1])
  assert.deepEqual(valueAxis(2, true, formatCompact).ticks, [0, 1, 2])
  assert.deepEqual(valueAxis(1, false, formatUsd).ticks, [0, 0.2, 0.4, 0.6, 0.8, 1])
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), (highest) => {
      const { ticks } = valueAxis(highest, true, formatCompact)
      assert.ok(ticks.length >= 2 && ticks.every(Number.isInteger))
      assert.ok(ticks[0] === 0 && ticks.at(-1)! >= highest)
    })
  )
})

test('the labels of a small spend fit', async () => {
  assert.equal(valueAxis(120, false, formatUsd).left, 63)
  const { ticks, left } = valueAxis(0.000031, false, formatUsd)
  assert.ok(left >= 12 + 7.2 * Math.max(...ticks.map((usd) => formatUsd(usd).length)))
  assert.equal(valueAxis(9, true, formatCompact).left, 60)
})
