import assert from 'node:assert/strict'
import { test } from 'tap'
import { formatUsd } from '../format/money.ts'
import { formatCompact } from '../format/number.ts'
import { valueAxis } from './value-axis.ts'

test('the labels of a small spend fit', async () => {
  assert.equal(valueAxis(120, formatUsd).left, 63)
  const { ticks, left } = valueAxis(0.000031, formatUsd)
  assert.ok(left >= 12 + 7.2 * Math.max(...ticks.map((usd) => formatUsd(usd).length)))
  assert.equal(valueAxis(9, formatCompact).left, 60)
})
