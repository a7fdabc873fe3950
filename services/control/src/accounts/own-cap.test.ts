import assert from 'node:assert/strict'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { readOwnCap, toUsd } from '../catalog/plans.ts'

const isRefused = (usd: number, cap: number) => {
  assert.throws(
    () => readOwnCap(usd, cap),
    (error) =>
      error instanceof ServiceError && error.code === 'invalid_request' && /^monthly_budget_usd: /.test(error.message)
  )
}

test('every amount in nanodollars up to the plan’s cap is stored exactly', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e15 }), (nanos) => {
      const written = `${Math.floor(nanos / 1e9)}.${String(nanos % 1e9).padStart(9, '0')}`
      assert.equal(readOwnCap(Number(written), 1e15), nanos)
      assert.equal(toUsd(nanos), Number(written))
    })
  )
})

test('null, 0 and the plan’s cap are accepted; a higher cap or more than nine decimals is refused', async () => {
  assert.equal(readOwnCap(null, 5e9), null)
  assert.equal(readOwnCap(0, 5e9), 0)
  assert.equal(readOwnCap(5, 5e9), 5e9)
  isRefused(5.000000001, 5e9)
  isRefused(0.0000000005, 5e9)
  isRefused(1.23456789012, 5e9)
})
