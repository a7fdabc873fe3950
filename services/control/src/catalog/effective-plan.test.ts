import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { test } from 'tap'
import { effectivePlan, isUnknownPlan } from './plans.ts'

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
