import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { median, quantile, ratioSpread, spread } from './statistics.ts'

const figures = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })

test('the median does not depend on the order and does not change the list', async () => {
  const values = [5, 1, 4, 2]
  assert.equal(median(values), 3)
  assert.deepEqual(values, [5, 1, 4, 2])
  assert.equal(median([9, 1, 10]), 9, 'numbers are sorted as numbers, not as text')
})

test('a quantile lies between the neighbours of its rank', async () => {
  const hundred = Array.from({ length: 101 }, (_, index) => index)
  assert.equal(quantile(hundred, 0.99), 99)
  assert.equal(quantile(hundred, 0), 0)
  assert.equal(quantile(hundred, 1), 100)
  assert.equal(quantile([10, 20], 0.25), 12.5)
  assert.throws(() => quantile([], 0.5), RangeError)
})

test('a median is always within the spread, and one bad round hardly changes the spread', async () => {
  fc.assert(
    fc.property(figures, (values) => {
      const { median: middle, lowerQuartile, upperQuartile } = spread(values)
      assert.ok(lowerQuartile <= middle && middle <= upperQuartile)
    })
  )
  assert.deepEqual(spread([1, 1, 1, 1, 1000]), { median: 1, lowerQuartile: 1, upperQuartile: 1 })
})

test('a slow machine does not change the ratio', async () => {
  fc.assert(
    fc.property(figures, fc.double({ min: 0.1, max: 10, noNaN: true }), (bare, cost) => {
      const ratio = ratioSpread(
        bare.map((value) => value * cost),
        bare
      )
      for (const value of Object.values(ratio)) assert.ok(Math.abs(value - cost) < 1e-9 * cost)
    })
  )
  assert.throws(() => ratioSpread([1, 2], [1]), RangeError)
})
