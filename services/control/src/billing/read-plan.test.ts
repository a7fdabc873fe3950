import assert from 'node:assert/strict'
import { BillingPlan, OfferedPlansResponse } from '@tollgate/contracts/http/billing.ts'
import { test } from 'tap'
import { Value } from 'typebox/value'
import { readPlanPrices } from '../catalog/plans.ts'
import { noSubscription, planFromSubscriptions } from './plan-from-subscriptions.ts'
import { describeOffer, describePlan } from './read-plan.ts'
import { catalog, knownPrices, subscription } from './testing/subscriptions.ts'

const prices = readPlanPrices(catalog)
const factsOf = (changes: Parameters<typeof subscription>[0]) =>
  planFromSubscriptions(prices, [subscription(changes)], 'free').facts

test('a paid plan shows its renewal, and a cancelled one its end', async () => {
  const paid = describePlan(catalog, 'pro', factsOf({}))
  assert.deepEqual(paid, {
    id: 'pro',
    name: 'Pro',
    renews_at: '2026-12-01T00:00:00.000Z',
    entitlements: catalog.plans.pro!.entitlements,
    past_due: false,
    cancel_at: null,
    price_id: 'price_pro_monthly'
  })
  assert.ok(Value.Check(BillingPlan, paid))
  const cancelled = describePlan(catalog, 'pro', factsOf({ cancelAt: new Date('2026-11-25T00:00:00Z') }))
  assert.deepEqual([cancelled.renews_at, cancelled.cancel_at], [null, '2026-11-25T00:00:00.000Z'])
})

const unpaid = [
  ['free', 'free'],
  ['enterprise', 'enterprise'],
  ['gone', 'free']
] as const

test('a plan without a subscription has no renewal: free, set by an operator, or unknown', async () => {
  for (const [stored, id] of unpaid) {
    const { renews_at, cancel_at, price_id, ...plan } = describePlan(catalog, stored, noSubscription)
    assert.deepEqual([plan.id, renews_at, cancel_at, price_id], [id, null, null, null])
  }
})

test('a subscriber with an operator’s plan sees when the subscription renews or ends', async () => {
  const end = new Date('2026-11-25T00:00:00Z')
  for (const [stored, id] of unpaid) {
    const { renews_at, cancel_at, price_id, ...plan } = describePlan(catalog, stored, factsOf({}))
    assert.deepEqual([plan.id, renews_at, cancel_at, price_id], [id, '2026-12-01T00:00:00.000Z', null, null])
    const ending = describePlan(catalog, stored, factsOf({ cancelAt: end }))
    assert.deepEqual([ending.renews_at, ending.cancel_at], [null, end.toISOString()])
  }
})

test('a failed payment is shown with every plan', async () => {
  assert.equal(describePlan(catalog, 'pro', factsOf({ status: 'past_due' })).past_due, true)
  assert.equal(describePlan(catalog, 'free', factsOf({ status: 'unpaid' })).past_due, true)
})

test('the offer has each plan with its sold prices, and nothing about models', async () => {
  const plans = describeOffer(catalog)
  assert.ok(Value.Check(OfferedPlansResponse, { plans }))
  assert.deepEqual(
    plans.map(({ id }) => id),
    Object.keys(catalog.plans)
  )
  assert.deepEqual(
    plans.flatMap((plan) => plan.prices.map(({ id }) => id)),
    knownPrices
  )
  assert.ok(!JSON.stringify(plans).includes('gpt'))
  const pro = catalog.plans.pro!
  const unsold = { ...catalog, plans: { pro: { ...pro, prices: [{ ...pro.prices![0]!, isSold: false }] } } }
  assert.deepEqual(describeOffer(unsold)[0]!.prices, [])
})
