import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import { test } from 'tap'
import { addSubscriber, startTestAccount, type TestAccount } from './test-account.ts'

const dayS = 86_400

/** A subscription in the middle of its first period. */
async function halfway(account: TestAccount, number?: string) {
  const added = await addSubscriber(account, 'price_pro_month', number)
  const item = added.subscription.items.data[0]
  if (item === undefined) throw new Error('The subscription has no item.')
  const { current_period_start: start, current_period_end: end } = item
  account.controls.advance(start + (end - start) / 2 - account.controls.nowS())
  return { ...added, item, end }
}

test('a switch with `always_invoice` charges the difference for the remaining time at once', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { subscription, item, end } = await halfway(account)
  const changed = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, price: 'price_team_month' }],
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice']
  })
  assert.partialDeepStrictEqual(changed, {
    status: 'active',
    items: { data: [{ id: item.id, price: { id: 'price_team_month' }, current_period_end: end }] },
    latest_invoice: {
      billing_reason: 'subscription_update',
      status: 'paid',
      total: 2_000,
      lines: { data: [{ amount: -1_000 }, { amount: 3_000 }] }
    }
  })
  const { latest_invoice: invoice } = changed
  if (invoice === null || typeof invoice === 'string') throw new Error('The invoice is not expanded.')
  const [unused, remaining] = invoice.lines.data
  assert.match(unused?.description ?? '', /^Unused time on Pro/)
  assert.match(remaining?.description ?? '', /^Remaining time on Team/)
})

test('by default the difference comes with the next invoice', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { subscription, item } = await halfway(account)
  const changed = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, price: 'price_team_month' }]
  })
  assert.equal(changed.latest_invoice, subscription.latest_invoice, 'no invoice yet')
  controls.advance(17 * dayS)
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  assert.partialDeepStrictEqual(renewed.latest_invoice, { total: 8_000, billing_reason: 'subscription_cycle' })
  controls.advance(31 * dayS)
  assert.partialDeepStrictEqual((await stripe.invoices.list({ limit: 1 })).data, [{ total: 6_000 }])
})

test('a switch to another interval starts a new period and charges it at once', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { subscription, item } = await halfway(account)
  const nowS = controls.nowS()
  const changed = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, price: 'price_pro_year' }],
    expand: ['latest_invoice']
  })
  const start = changed.items.data[0]?.current_period_start ?? 0
  assert.ok(start - nowS < 60)
  assert.ok((changed.items.data[0]?.current_period_end ?? 0) - start >= 365 * dayS)
  assert.partialDeepStrictEqual(changed.latest_invoice, { total: 19_000, status: 'paid' })
})

test('a cheaper plan leaves a credit that later invoices use up', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const added = await addSubscriber(account, 'price_team_month')
  const item = added.subscription.items.data[0]
  await stripe.subscriptions.update(added.subscription.id, {
    items: [{ id: item?.id ?? '', price: 'price_pro_month' }],
    proration_behavior: 'always_invoice'
  })
  const customer = await stripe.customers.retrieve(added.customer.id)
  if (customer.deleted) throw new Error('The customer was deleted.')
  assert.equal(customer.balance, -4_000)
  controls.advance(32 * dayS)
  assert.partialDeepStrictEqual((await stripe.invoices.list({ limit: 1 })).data, [
    { total: 2_000, amount_due: 0, status: 'paid', ending_balance: -2_000 }
  ])
})

test('a declined card fails the switch, or leaves the subscription past due', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { subscription, item } = await halfway(account, '4000000000000341')
  const change: Stripe.SubscriptionUpdateParams = {
    items: [{ id: item.id, price: 'price_team_month' }],
    proration_behavior: 'always_invoice'
  }
  await assert.rejects(
    stripe.subscriptions.update(subscription.id, { ...change, payment_behavior: 'error_if_incomplete' }),
    {
      statusCode: 402,
      code: 'card_declined'
    }
  )
  assert.partialDeepStrictEqual((await stripe.subscriptions.retrieve(subscription.id)).items.data, [
    { price: { id: 'price_pro_month' } }
  ])
  assert.partialDeepStrictEqual(await stripe.subscriptions.update(subscription.id, change), { status: 'past_due' })
})

test('items can be added and removed; at least one must stay, and all share one interval', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { subscription, item } = await halfway(account)
  const two = await stripe.subscriptions.update(subscription.id, {
    items: [{ price: 'price_team_month', quantity: 3 }]
  })
  assert.partialDeepStrictEqual(two.items.data, [
    { price: { id: 'price_pro_month' } },
    { price: { id: 'price_team_month' }, quantity: 3 }
  ])
  const one = await stripe.subscriptions.update(subscription.id, { items: [{ id: item.id, deleted: true }] })
  assert.partialDeepStrictEqual(one.items.data, [{ price: { id: 'price_team_month' } }])
  const last = one.items.data[0]?.id ?? ''
  await assert.rejects(stripe.subscriptions.update(subscription.id, { items: [{ id: last, deleted: true }] }), {
    message: /at least one/,
    statusCode: 400
  })
  await assert.rejects(stripe.subscriptions.update(subscription.id, { items: [{ price: 'price_pro_year' }] }), {
    message: /same interval/,
    statusCode: 400
  })
  await assert.rejects(stripe.subscriptions.update(subscription.id, { items: [{ id: item.id }] }), {
    code: 'resource_missing'
  })
})
