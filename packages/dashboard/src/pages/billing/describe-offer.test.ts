import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeEntitlement, describePrice, modelsOf, type OfferedPlan } from './describe-offer.ts'

const plan: OfferedPlan = {
  id: 'team',
  name: 'Team',
  entitlements: ['chat'],
  key_quota: 20,
  seats: 10,
  requests_per_minute: 2000,
  burst_requests: 334,
  tokens_per_minute: 4_000_000,
  burst_tokens: 1_000_000,
  monthly_budget_usd: 500,
  prices: []
}

test('entitlements are described in words, and unknown ones by their names', async () => {
  assert.deepEqual(['all-models', 'partner-api', 'moon-base'].map(describeEntitlement), [
    ...['All models', 'API to create keys for your customers', 'moon-base']
  ])
})

test('the models of a plan are counted among those on sale', async () => {
  const model = (...ids: string[]) => ({ plans: ids.map((id) => ({ id, name: id })) })
  const models = [model('team'), model('team', 'pro'), model()] as Parameters<typeof modelsOf>[1]
  assert.deepEqual(modelsOf(plan, models), { count: 2, hasAll: true })
  assert.deepEqual(modelsOf({ ...plan, id: 'pro' }, models), { count: 1, hasAll: false })
  assert.equal(modelsOf({ ...plan, id: 'enterprise' }, models), null)
  assert.equal(modelsOf(plan, undefined), null)
})

test('a price says how often it is paid', async () => {
  assert.equal(describePrice({ id: 'p', interval: 'month', amount: 2000, currency: 'usd' }), '$20 a month')
  assert.equal(describePrice({ id: 'p', interval: 'year', amount: 19_950, currency: 'eur' }), '€199.50 a year')
})
