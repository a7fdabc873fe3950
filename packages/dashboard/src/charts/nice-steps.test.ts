import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { niceSteps } from './nice-steps.ts'

test('lines stand at numbers that people read easily', async () => {
  assert.deepEqual(niceSteps(0), [0, 1])
  assert.deepEqual(niceSteps(3), [0, 1, 2, 3])
  assert.deepEqual(niceSteps(950), [0, 500, 1000])
  assert.deepEqual(niceSteps(70), [0, 25, 50, 75])
})

test('every value has room below the highest line, and there are never many lines', async () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (highest) => {
      const steps = niceSteps(highest)
      assert.ok((steps.at(-1) ?? 0) >= highest * (1 - 1e-9))
      assert.ok(steps.length >= 2 && steps.length <= 4)
      assert.equal(steps[0], 0)
    })
  )
})
