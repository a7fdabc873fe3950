import assert from 'node:assert/strict'
import { test } from 'tap'
import { explainLimits, type LimitsOf } from './read-account.ts'

const now = new Date('2026-11-23T12:00:00Z')
const later = new Date('2026-12-01T00:00:00Z')
const account: LimitsOf = {
  plan: {
    keyQuota: null,
    caps: { requestNanos: 500_000_000, monthlyNanos: 50_000_000_000 },
    limits: {
      requestsPerMinute: 60,
      burstRequests: 1,
      tokensPerMinute: 1000,
      burstTokens: 1,
      concurrentRequests: 5
    }
  },
  overrideLimits: null,
  overrideLimitsEndAt: null,
  ownCapNanos: null,
  mailboxNanos: null
}
const all = {
  monthlyNanos: 70_000_000_000,
  requestNanos: 1,
  requestsPerMinute: 7,
  tokensPerMinute: 8,
  concurrentRequests: 9,
  keyQuota: 0,
  priceGroup: 'reseller'
}
const ofPlan = (value: number | string | null) => ({
  value,
  from: 'plan',
  plan_value: value,
  operator_value: null,
  ends_at: null
})

test('without an override, every limit is the plan’s', async () => {
  const limits = explainLimits(account, now)
  assert.deepEqual(Object.values(limits), [50, 0.5, 60, 1000, 5, null, null].map(ofPlan))
  assert.equal(limits.monthly_budget_usd.value, 50)
})

test('an operator’s limit replaces the plan’s, whether higher, lower or zero, until it ends', async () => {
  const overridden = { ...account, overrideLimits: all, overrideLimitsEndAt: later }
  const limits = explainLimits(overridden, now)
  const ends_at = later.toISOString()
  assert.deepEqual(limits.monthly_budget_usd, {
    value: 70,
    from: 'operator',
    plan_value: 50,
    operator_value: 70,
    ends_at
  })
  assert.deepEqual(limits.key_quota, { value: 0, from: 'operator', plan_value: null, operator_value: 0, ends_at })
  assert.deepEqual(
    Object.values(limits).map(({ value, from }) => [value, from]),
    [70, 1e-9, 7, 8, 9, 0, 'reseller'].map((value) => [value, 'operator'])
  )
  assert.deepEqual(explainLimits(overridden, later), explainLimits(account, now), 'it ends at its end')
  assert.equal(explainLimits({ ...overridden, overrideLimitsEndAt: null }, later).key_quota.from, 'operator')
})

test('a limit that the operator did not set stays the plan’s', async () => {
  const limits = explainLimits({ ...account, overrideLimits: { tokensPerMinute: 8 } }, now)
  assert.deepEqual(limits.requests_per_minute, ofPlan(60))
  assert.deepEqual(limits.tokens_per_minute, {
    value: 8,
    from: 'operator',
    plan_value: 1000,
    operator_value: 8,
    ends_at: null
  })
})

test('the owner’s cap applies while it is the lowest', async () => {
  const monthly = (changed: Partial<LimitsOf>) => explainLimits({ ...account, ...changed }, now).monthly_budget_usd
  const owner = { value: 60, from: 'owner', plan_value: 50, operator_value: null, ends_at: null }
  const cap = 60_000_000_000
  assert.deepEqual(monthly({ ownCapNanos: cap }), ofPlan(50))
  assert.deepEqual(monthly({ ownCapNanos: cap, overrideLimits: all, overrideLimitsEndAt: later }), {
    ...owner,
    operator_value: 70,
    ends_at: later.toISOString()
  })
  assert.deepEqual(monthly({ ownCapNanos: 0 }), { ...owner, value: 0 })
  assert.equal(monthly({ ownCapNanos: cap, overrideLimits: { monthlyNanos: 1 } }).from, 'operator')
})

test('what other accounts of the mailbox leave of the free budget replaces the plan’s, below the owner’s cap', async () => {
  const monthly = (changed: Partial<LimitsOf>) => explainLimits({ ...account, ...changed }, now).monthly_budget_usd
  assert.deepEqual(monthly({ mailboxNanos: 0 }), { ...ofPlan(50), value: 0, from: 'mailbox' })
  assert.equal(monthly({ mailboxNanos: 20e9, ownCapNanos: 30e9 }).value, 20)
  assert.deepEqual(monthly({ mailboxNanos: 20e9, ownCapNanos: 10e9 }), { ...ofPlan(50), value: 10, from: 'owner' })
})
