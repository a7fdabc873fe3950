import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { changeOf, epochOf, maxEpoch, versionOf } from './version.ts'

const epoch = fc.oneof(fc.nat({ max: maxEpoch }), fc.constantFrom(0, 1, maxEpoch))
const change = fc.oneof(
  fc.maxSafeNat().map((value) => value % 1e12),
  fc.constantFrom(0, 1, 1e12 - 1)
)

test('a version gives back its epoch and change, and is exact as a double and in decimal', async () => {
  fc.assert(
    fc.property(epoch, change, (e, c) => {
      const version = versionOf(e, c)
      assert.ok(Number.isSafeInteger(version))
      assert.match(String(version), /^\d+$/)
      assert.equal(epochOf(version), e)
      assert.equal(changeOf(version), c)
    })
  )
})

test('versions are ordered by epoch and then by change', async () => {
  fc.assert(
    fc.property(epoch, change, epoch, change, (e1, c1, e2, c2) => {
      const order = Math.sign(e1 - e2 || c1 - c2)
      assert.equal(Math.sign(versionOf(e1, c1) - versionOf(e2, c2)), order)
    })
  )
})

test('a part out of range is refused', async () => {
  for (const [e, c] of [
    [-1, 1],
    [0.5, 1],
    [maxEpoch + 1, 1],
    [Number.NaN, 1],
    [0, -1],
    [0, 1e12],
    [0, 1.5],
    [0, Number.NaN]
  ] as const) {
    assert.throws(() => versionOf(e, c), RangeError, `${e}, ${c}`)
  }
})
