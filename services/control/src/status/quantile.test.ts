import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { quantile } from './quantile.ts'

const bounds = [1, 2, 5, 10]
const bucketOf = (value: number): number => {
  const at = bounds.findIndex((bound) => value <= bound)
  return at < 0 ? bounds.length : at
}

function bucketsOf(values: readonly number[]): number[] {
  const counts = [0, 0, 0, 0, 0]
  for (const value of values) counts[bucketOf(value)]!++
  return counts
}

const aValue = fc.double({ min: 0.001, max: 20, noNaN: true })
const aShare = fc.double({ min: 0.01, max: 1, noNaN: true })

test('an estimate is in the bucket of the true quantile, and at most the last bound', async () => {
  fc.assert(
    fc.property(fc.array(aValue, { minLength: 1 }), aShare, (values, share) => {
      const sorted = values.toSorted((a, b) => a - b)
      const truth = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
      const estimate = quantile(bucketsOf(values), bounds, share)!
      if (bucketOf(truth) === bounds.length) assert.equal(estimate, 10)
      else assert.equal(bucketOf(estimate), bucketOf(truth))
    })
  )
})

test('a higher share never gives a lower estimate', async () => {
  fc.assert(
    fc.property(fc.array(aValue, { minLength: 1 }), aShare, aShare, (values, one, other) => {
      const counts = bucketsOf(values)
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      assert.ok(quantile(counts, bounds, low)! <= quantile(counts, bounds, high)!)
    })
  )
})

test('values are spread evenly over their bucket, and nothing is said without values', async () => {
  assert.equal(quantile([0, 0, 4, 0, 0], bounds, 0.5), 3.5)
  assert.equal(quantile([2, 0, 0, 2, 0], bounds, 0.5), 1)
  assert.equal(quantile([2, 0, 0, 2, 0], bounds, 0.75), 7.5)
  assert.equal(quantile([0, 0, 0, 0, 0], bounds, 0.5), null)
})
