import assert from 'node:assert/strict'
import { test } from 'tap'
import { judgeGrowth } from './growth.ts'

const margin = { share: 0.1, amount: 5 }

test('a figure that rises by more than the margin has grown', async () => {
  const growth = judgeGrowth([100, 100, 100, 105, 105, 105, 111, 111, 111], margin)
  assert.deepEqual(growth, { first: 100, last: 111, limit: 110, isLevel: false })
})

test('the larger of share and amount is the margin', async () => {
  assert.ok(judgeGrowth([100, 105, 110], margin).isLevel)
  assert.ok(judgeGrowth([10, 12, 15], margin).isLevel)
  assert.ok(!judgeGrowth([10, 12, 16], margin).isLevel)
})

test('single peaks and falling values are not growth', async () => {
  assert.ok(judgeGrowth([10, 11, 10, 11, 10, 99, 10, 99, 11], margin).isLevel)
  assert.ok(judgeGrowth([100, 50, 20], margin).isLevel)
})

test('too few values throw an error', async () => {
  assert.throws(() => judgeGrowth([1, 2], margin), RangeError)
})
