import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeEntitlement, describePrice, describeTerms, type OfferedPlan } from './describe-plan.ts'

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

test('what a plan allows is told in words, also what only its operator knows', async () => {
  assert.deepEqual(describeTerms(plan), [
    '20 keys',
    '10 seats',
    'Up to $500 of usage a month',
    '2,000 requests and 4M tokens a minute',
    'Up to 334 requests and 1M tokens at once',
    'Chat',
    'Seats for a team',
    'moon-base'
  ])
  assert.deepEqual(describeTerms({ ...plan, key_quota: null, seats: 1, monthly_budget_usd: 0.5 }).slice(0, 3), [
    'Any number of keys',
    'For one person',
    'Up to $0.50 of usage a month'
  ])
  assert.equal(describeEntitlement('all-models'), 'All models')
})

test('a price says how often it is paid', async () => {
  assert.equal(describePrice({ id: 'p', interval: 'month', amount: 2000, currency: 'usd' }), '$20 / month')
  assert.equal(describePrice({ id: 'p', interval: 'year', amount: 19_950, currency: 'eur' }), '€199.50 / year')
})
