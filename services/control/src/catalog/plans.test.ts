import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { effectivePlan, isUnknownPlan, readOwnCap, toUsd } from './plans.ts'

const plan = { keyQuota: 1 } as Catalog['plans'][string]
const catalog: Catalog = { models: {}, plans: { free: plan, pro: plan } }

test('a plan of the catalog applies, and any other counts as free', async () => {
  assert.equal(effectivePlan(catalog, 'pro'), 'pro')
  for (const other of [null, 'free', 'platinum', '', 'toString', '__proto__', 'Pro', ' pro']) {
    assert.equal(effectivePlan(catalog, other), 'free', String(other))
  }
})

test('no plan is fine; a plan that the catalog lacks is unknown', async () => {
  assert.equal(isUnknownPlan(catalog, null), false)
  assert.equal(isUnknownPlan(catalog, 'pro'), false)
  for (const other of ['platinum', '', '__proto__']) assert.equal(isUnknownPlan(catalog, other), true, other)
})

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
