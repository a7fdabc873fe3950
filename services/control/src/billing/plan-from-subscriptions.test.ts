import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { readPlanPrices } from '../catalog/plans.ts'
import type { Subscription } from './payments.ts'
import { findDuplicates, noSubscription, planFromSubscriptions } from './plan-from-subscriptions.ts'
import { anySubscriptions, catalog, knownPrices, subscription } from './testing/subscriptions.ts'

const prices = readPlanPrices(catalog)
const decide = (subscriptions: readonly Subscription[], plan = 'free') =>
  planFromSubscriptions(prices, subscriptions, plan)
const later = new Date('2026-11-20T00:00:00Z')
const periodEnd = subscription().periodEndsAt

const table: Array<[name: string, subscriptions: Subscription[], facts: Partial<ReturnType<typeof decide>['facts']>]> =
  [
    ['without a subscription there is no plan', [], noSubscription],
    [
      'an active subscription gives the plan of its price, and renews',
      [subscription()],
      { plan: 'pro', status: 'active', priceId: 'price_pro_monthly', renewsAt: periodEnd, isPastDue: false }
    ],
    ['a yearly price gives the same plan', [subscription({ priceIds: ['price_pro_yearly'] })], { plan: 'pro' }],
    ['a trial gives the plan', [subscription({ status: 'trialing' })], { plan: 'pro', renewsAt: periodEnd }],
    [
      'a past due subscription keeps the plan, and is shown as past due',
      [subscription({ status: 'past_due', isUnpaid: true })],
      { plan: 'pro', isPastDue: true, renewsAt: periodEnd }
    ],
    [
      'a subscription with a failed payment is past due, even if its status is still active',
      [subscription({ isUnpaid: true })],
      { plan: 'pro', isPastDue: true }
    ],
    [
      'a subscription that is cancelled for later gives the plan until then, and does not renew',
      [subscription({ cancelAt: later })],
      { plan: 'pro', cancelAt: later, renewsAt: null }
    ],
    [
      'an unpaid subscription gives no plan, and is past due',
      [subscription({ status: 'unpaid', isUnpaid: true })],
      { plan: 'free', status: 'unpaid', isPastDue: true, renewsAt: null }
    ],
    ['a paused subscription gives no plan', [subscription({ status: 'paused' })], { plan: 'free', status: 'paused' }],
    [
      'an ended subscription gives no plan, and has no renewal and no end',
      [subscription({ status: 'canceled', cancelAt: later, isUnpaid: true })],
      { plan: 'free', status: 'canceled', isPastDue: false, renewsAt: null, cancelAt: null }
    ],
    [
      'a subscription whose first payment is due changes nothing',
      [
        subscription({ id: 'sub_2', status: 'incomplete', priceIds: ['price_team_monthly'], isUnpaid: true }),
        subscription()
      ],
      { plan: 'pro', subscriptionId: 'sub_1' }
    ],
    [
      'alone, a subscription whose first payment is due gives no plan, and is not past due',
      [subscription({ status: 'incomplete', isUnpaid: true })],
      { plan: 'free', status: 'incomplete', isPastDue: false }
    ],
    [
      'of several plans, the better one applies',
      [
        subscription(),
        subscription({ id: 'sub_2', priceIds: ['price_team_yearly'] }),
        subscription({ id: 'sub_3', status: 'canceled' })
      ],
      { plan: 'team', subscriptionId: 'sub_2', priceId: 'price_team_yearly' }
    ],
    [
      'of several items, the price of a plan counts, and other prices do not',
      [subscription({ priceIds: ['price_of_support', 'price_pro_monthly'] })],
      { plan: 'pro', priceId: 'price_pro_monthly' }
    ],
    [
      'a live subscription is shown before a newer one that has ended',
      [
        subscription({ id: 'sub_2', status: 'unpaid' }),
        subscription({ id: 'sub_3', status: 'canceled', createdAt: later })
      ],
      { subscriptionId: 'sub_2' }
    ]
  ]

for (const [name, subscriptions, facts] of table) {
  test(name, async () => {
    const decision = decide(subscriptions)
    assert.deepEqual({ ...decision.facts, ...facts }, decision.facts)
    assert.deepEqual(decision.unknown, [])
  })
}

test('an unknown price keeps the plan, and is named', async () => {
  const { facts, unknown } = decide([subscription({ priceIds: ['price_lost'] })], 'team')
  assert.equal(facts.plan, 'team')
  assert.equal(facts.priceId, 'price_lost')
  assert.deepEqual(unknown, ['price price_lost of sub_1'])
  // An ended subscription has no effect.
  assert.deepEqual(decide([subscription({ status: 'canceled', priceIds: ['price_lost'] })], 'team').unknown, [])
})

test('an unknown status keeps the plan, and is named', async () => {
  const { facts, unknown } = decide([subscription({ status: 'hibernating' })], 'pro')
  assert.equal(facts.plan, 'pro')
  assert.deepEqual(unknown, ['status hibernating of sub_1'])
})

test('a legacy price still gives its plan to existing subscribers', async () => {
  const pro = catalog.plans.pro!
  const former = {
    ...catalog,
    plans: { ...catalog.plans, pro: { ...pro, prices: pro.prices!.map((one) => ({ ...one, isSold: false })) } }
  }
  const formerPrices = readPlanPrices(former)
  assert.equal(formerPrices.isSold('price_pro_monthly'), false)
  assert.equal(planFromSubscriptions(formerPrices, [subscription()], 'free').facts.plan, 'pro')
})

test('the order of subscriptions does not matter', async () => {
  const shuffled = anySubscriptions().chain((some) =>
    fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length, maxLength: some.length }))
  )
  fc.assert(
    fc.property(shuffled, fc.constantFrom('free', 'pro', 'team'), ([one, other], plan) => {
      assert.deepEqual(decide(one, plan).facts, decide(other, plan).facts)
      assert.deepEqual(
        findDuplicates(prices, one, 'ours').map(({ ended }) => ended.id),
        findDuplicates(prices, other, 'ours').map(({ ended }) => ended.id)
      )
    })
  )
})

test('with known prices and statuses, the plan follows from the subscriptions alone', async () => {
  fc.assert(
    fc.property(anySubscriptions({ prices: knownPrices }), fc.constantFrom('free', 'pro', 'team'), (some, plan) => {
      const { facts } = decide(some, plan)
      assert.deepEqual(facts, decide(some, 'enterprise').facts)
      const entitling = some.filter(({ status }) => ['active', 'trialing', 'past_due'].includes(status))
      const isTeam = entitling.some(({ priceIds }) => priceIds.some((id) => id.includes('team')))
      assert.equal(facts.plan, isTeam ? 'team' : entitling.length > 0 ? 'pro' : 'free')
    })
  )
})

test('an ended or incomplete subscription changes no plan', async () => {
  const idle = anySubscriptions({ statuses: ['canceled', 'incomplete_expired', 'incomplete', 'paused', 'unpaid'] })
  fc.assert(
    fc.property(anySubscriptions(), idle, fc.constantFrom('free', 'pro', 'team'), (some, others, plan) => {
      const renamed = others.map((one) => ({ ...one, id: `other_${one.id}` }))
      assert.equal(decide([...some, ...renamed], plan).facts.plan, decide(some, plan).facts.plan)
    })
  )
})

test('one of the account’s checkout subscriptions stays, and no other subscription is ended', async () => {
  fc.assert(
    fc.property(anySubscriptions(), (some) => {
      const surplus = new Set(findDuplicates(prices, some, 'ours').map(({ ended }) => ended))
      for (const { accountId } of surplus) assert.equal(accountId, 'ours')
      const left = some.map((one) => (surplus.has(one) ? { ...one, status: 'canceled' } : one))
      assert.deepEqual(findDuplicates(prices, left, 'ours'), [])
      // A customer with a plan keeps one.
      assert.equal(decide(left).facts.plan === 'free', decide(some).facts.plan === 'free')
    })
  )
})

test('of two concurrent purchases the dearer one stays, unless its payment failed', async () => {
  const bought = (id: string, priceId: string, changes = {}) =>
    subscription({ id, accountId: 'ours', priceIds: [priceId], ...changes })
  const endedOf = (...some: Subscription[]) =>
    [some, some.toReversed()].map((order) => findDuplicates(prices, order, 'ours').map(({ ended }) => ended.id))
  const pro = bought('pro', 'price_pro_monthly')
  const team = bought('team', 'price_team_monthly', { createdAt: later })
  const proYearly = bought('yearly', 'price_pro_yearly', { createdAt: later })
  assert.deepEqual(endedOf(pro, team), [['pro'], ['pro']])
  assert.deepEqual(endedOf(pro, proYearly), [['pro'], ['pro']], 'of one plan, the higher price')
  assert.deepEqual(endedOf(pro, { ...pro, id: 'again', createdAt: later }), [['again'], ['again']])
  assert.deepEqual(endedOf(pro, { ...team, status: 'past_due' }), [['team'], ['team']])
  assert.deepEqual(endedOf(pro, { ...team, accountId: null }), [[], []])
  assert.deepEqual(endedOf(pro, bought('support', 'price_of_support')), [[], []])
})
