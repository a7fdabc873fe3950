import assert from 'node:assert/strict'
import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { KeyRecord } from '@tollgate/contracts/records/records.ts'
import { activeKey } from '@tollgate/state/testing/one-account.ts'
import { test } from 'tap'
import { allowancesOf } from './allowances.ts'

const limits = {
  requestsPerMinute: 60,
  burstRequests: 10,
  tokensPerMinute: 40_000,
  burstTokens: 20_000,
  concurrentRequests: 4
}

function allowed(key: Partial<KeyRecord>, changed: Partial<Plan['limits']> = {}) {
  const plan: Plan = {
    name: 'Test',
    entitlements: [],
    keyQuota: 1,
    seats: 1,
    models: [],
    limits: { ...limits, ...changed },
    caps: { requestNanos: 1, monthlyNanos: 1 }
  }
  return allowancesOf(
    { ...activeKey, ...key },
    { plan: 'free', status: 'active', ownCapNanos: null },
    { plan: () => plan },
    null
  )
}

test('an account has the bursts of its plan', async () => {
  const { requestBurst, tokenBurst, keyRequests, keyRequestBurst } = allowed({})
  assert.deepEqual([requestBurst, tokenBurst, keyRequests, keyRequestBurst], [10, 20_000, null, null])
})

test("a key's own rate has a burst of the same share as the plan's, at least 1", async () => {
  const burstOf = (requestsPerMinute: number, changed: Partial<Plan['limits']> = {}) =>
    allowed({ requestsPerMinute }, changed).keyRequestBurst
  assert.equal(burstOf(60), 10)
  assert.equal(burstOf(12), 2)
  assert.equal(burstOf(1), 1)
  assert.equal(burstOf(12, { burstRequests: 60 }), 12, 'never more than its own rate per minute')
  const rounded = { requestsPerMinute: 1e9, burstRequests: Math.ceil(1e9 / 6) }
  assert.equal(burstOf(12, rounded), 2)
})
