import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { axisTicks } from './axis-ticks.ts'

test('ticks are numbers that people read easily', async () => {
  assert.deepEqual(axisTicks(0), [0, 1])
  assert.deepEqual(axisTicks(3), [0, 1, 2, 3])
  assert.deepEqual(axisTicks(950), [0, 500, 1000])
  assert.deepEqual(axisTicks(70), [0, 25, 50, 75])
})

test('the highest tick is not below the highest value, and there are two to four ticks', async () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (highest) => {
      const ticks = axisTicks(highest)
      assert.ok((ticks.at(-1) ?? 0) >= highest * (1 - 1e-9))
      assert.ok(ticks.length >= 2 && ticks.length <= 4)
      assert.equal(ticks[0], 0)
    })
  )
})
