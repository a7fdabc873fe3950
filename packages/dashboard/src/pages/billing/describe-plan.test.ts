import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeEntitlement, describePrice, type OfferedPlan, planFeatures } from './describe-plan.ts'

const plan: OfferedPlan = {
  id: 'team',
  name: 'Team',
  entitlements: ['chat', 'seats', 'moon-base'],
  key_quota: 20,
  seats: 10,
  requests_per_minute: 2000,
  burst_requests: 334,
  tokens_per_minute: 4_000_000,
  burst_tokens: 1_000_000,
  monthly_budget_usd: 500,
  prices: []
}

test('the features of a plan are described in words, and unknown entitlements by their names', async () => {
  assert.deepEqual(planFeatures(plan), [
    '20 keys',
    '10 seats',
    'Up to $500 of usage per month',
    '2,000 requests and 4M tokens per minute',
    'Bursts of up to 334 requests and 1M tokens',
    'Chat',
    'Team seats',
    'moon-base'
  ])
  assert.deepEqual(planFeatures({ ...plan, key_quota: null, seats: 1, monthly_budget_usd: 0.5 }).slice(0, 3), [
    'Unlimited keys',
    'For one person',
    'Up to $0.50 of usage per month'
  ])
  assert.equal(describeEntitlement('all-models'), 'All models')
})

test('a price says how often it is paid', async () => {
  assert.equal(describePrice({ id: 'p', interval: 'month', amount: 2000, currency: 'usd' }), '$20 a month')
  assert.equal(describePrice({ id: 'p', interval: 'year', amount: 19_950, currency: 'eur' }), '€199.50 a year')
})
