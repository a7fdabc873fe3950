import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import { test } from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'

test('subscriptions can be listed by customer, status and price; ended ones only on request', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const first = await addSubscriber(account)
  const second = await addSubscriber(account, 'price_team_month')
  await stripe.subscriptions.cancel(first.subscription.id)
  const ids = async (params: Stripe.SubscriptionListParams) =>
    (await stripe.subscriptions.list(params)).data.map(({ id }) => id)
  assert.deepEqual(await ids({}), [second.subscription.id])
  assert.deepEqual(await ids({ status: 'all' }), [second.subscription.id, first.subscription.id])
  assert.deepEqual(await ids({ status: 'canceled' }), [first.subscription.id])
  assert.deepEqual(await ids({ status: 'ended' }), [first.subscription.id])
  assert.deepEqual(await ids({ customer: first.customer.id }), [])
  const missing = { code: 'resource_missing', statusCode: 400, param: 'customer' }
  await assert.rejects(ids({ customer: 'cus_none' }), missing)
  await assert.rejects(stripe.invoices.list({ customer: 'cus_none' }), missing)
  assert.deepEqual(await ids({ price: 'price_team_month' }), [second.subscription.id])
  assert.deepEqual(await ids({ price: 'price_pro_month' }), [])
})

test('a cancelled subscription ends at once and cannot be changed', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { subscription } = await addSubscriber(account)
  const ended = await stripe.subscriptions.cancel(subscription.id)
  assert.partialDeepStrictEqual(ended, {
    status: 'canceled',
    cancel_at_period_end: false,
    cancellation_details: { reason: 'cancellation_requested' }
  })
  assert.equal(ended.ended_at, ended.canceled_at)
  assert.equal(controls.events().at(-1)?.type, 'customer.subscription.deleted')
  await assert.rejects(stripe.subscriptions.cancel(subscription.id), { code: 'resource_missing' })
  await assert.rejects(stripe.subscriptions.update(subscription.id, { metadata: { a: 'b' } }), {
    code: 'resource_missing'
  })
})

test('an update emits the changed attributes, or no event if nothing changed', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { subscription } = await addSubscriber(account)
  await stripe.subscriptions.update(subscription.id, { metadata: { a: 'b' } })
  assert.partialDeepStrictEqual(controls.events().at(-1), {
    type: 'customer.subscription.updated',
    data: { object: { metadata: { a: 'b' } }, previous_attributes: { metadata: {} } }
  })
  const before = controls.events().length
  await stripe.subscriptions.update(subscription.id, { metadata: { a: 'b' } })
  assert.equal(controls.events().length, before)
})

test('without a checkout, a subscription needs a working card, or stays incomplete', async (t) => {
  const { stripe } = await startTestAccount(t)
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  const order = { customer: customer.id, items: [{ price: 'price_pro_month' }] }
  await assert.rejects(stripe.subscriptions.create(order), { message: /no attached payment source/ })
  const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id })
  assert.equal((await stripe.subscriptions.create({ ...order, default_payment_method: bad.id })).status, 'incomplete')
  const strict = { ...order, default_payment_method: bad.id, payment_behavior: 'error_if_incomplete' } as const
  await assert.rejects(stripe.subscriptions.create(strict), { code: 'card_declined', statusCode: 402 })
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: good.id } })
  const paid = await stripe.subscriptions.create({ ...order, expand: ['latest_invoice'] })
  assert.partialDeepStrictEqual(paid, {
    status: 'active',
    latest_invoice: { status: 'paid', billing_reason: 'subscription_create' }
  })
})

test('invoices are listed by customer, subscription and status, with the subscription in their parent', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  await addSubscriber(account)
  const { data } = await stripe.invoices.list({ customer: customer.id })
  assert.partialDeepStrictEqual(data, [
    {
      object: 'invoice',
      status: 'paid',
      customer: customer.id,
      amount_due: 2_000,
      amount_remaining: 0,
      parent: { type: 'subscription_details', subscription_details: { subscription: subscription.id } },
      lines: {
        data: [{ amount: 2_000, pricing: { price_details: { price: 'price_pro_month', product: 'prod_pro' } } }]
      }
    }
  ])
  assert.match(data[0]?.number ?? '', /^[0-9A-Z]{8}-0001$/)
  assert.equal('subscription' in (data[0] ?? {}), false)
  assert.equal((await stripe.invoices.list({ subscription: subscription.id })).data.length, 1)
  assert.equal((await stripe.invoices.list({ status: 'open' })).data.length, 0)
  assert.equal((await stripe.invoices.listLineItems(data[0]?.id ?? '')).data.length, 1)
  await assert.rejects(stripe.invoices.pay(data[0]?.id ?? ''), { message: 'Invoice is already paid' })
})

test('events can be listed by type and read unchanged', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { subscription } = await addSubscriber(account)
  const created = await stripe.events.list({ type: 'customer.subscription.created' })
  assert.partialDeepStrictEqual(created.data, [{ data: { object: { id: subscription.id, status: 'incomplete' } } }])
  assert.equal((await stripe.events.list({ types: ['invoice.paid', 'checkout.session.completed'] })).data.length, 2)
  assert.equal((await stripe.events.list({ type: 'invoice.*' })).data.length, 4)
  assert.equal((await stripe.events.retrieve(created.data[0]?.id ?? '')).type, 'customer.subscription.created')
})
