import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { propertyRuns } from '../property-runs.ts'
import { addSubscriber, startTestAccount, type TestAccount } from './test-account.ts'

const dayS = 86_400
const failing = '4000000000000341'

/** The types of the events after the first `count`. */
const typesSince = ({ controls }: TestAccount, count: number) =>
  controls
    .events()
    .slice(count)
    .map(({ type }) => type)

test('the checkout emits an event for each object that it creates, and its own last', async (t) => {
  const account = await startTestAccount(t)
  const before = account.controls.events().length
  await addSubscriber(account)
  assert.deepEqual(typesSince(account, before), [
    'customer.created',
    'payment_method.attached',
    'customer.subscription.created',
    'customer.updated',
    'invoice.created',
    'invoice.finalized',
    'customer.subscription.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
    'customer.subscription.updated',
    'checkout.session.completed'
  ])
})

test('a subscription renews at the end of each month', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { subscription } = await addSubscriber(account)
  const firstEnd = subscription.items.data[0]?.current_period_end ?? 0
  const before = controls.events().length
  controls.advance(firstEnd - controls.nowS())
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  assert.partialDeepStrictEqual(renewed, {
    status: 'active',
    items: { data: [{ current_period_start: firstEnd }] },
    latest_invoice: { billing_reason: 'subscription_cycle', status: 'paid', created: firstEnd, amount_paid: 2_000 }
  })
  assert.deepEqual(typesSince(account, before), [
    'customer.updated',
    'invoice.created',
    'invoice.finalized',
    'customer.subscription.updated',
    'invoice.paid',
    'invoice.payment_succeeded'
  ])
  controls.advance(365 * dayS)
  assert.equal((await stripe.invoices.list({ subscription: subscription.id, limit: 100 })).data.length, 14)
})

test('a failed renewal payment is retried, then the subscription ends', async (t) => {
  const account = await startTestAccount(t, { retryDays: [3, 5] })
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', failing)
  assert.equal(subscription.status, 'active', 'the first payment succeeds')
  const end = subscription.items.data[0]?.current_period_end ?? 0
  const before = controls.events().length
  controls.advance(end - controls.nowS())
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'past_due')
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: 'open' })).data
  assert.partialDeepStrictEqual(invoice, {
    attempt_count: 1,
    next_payment_attempt: end + 3 * dayS,
    amount_due: 2_000,
    amount_paid: 0
  })
  assert.deepEqual(typesSince(account, before).slice(-2), ['invoice.payment_failed', 'customer.subscription.updated'])
  controls.advance(3 * dayS)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'past_due')
  controls.advance(5 * dayS)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(subscription.id), {
    status: 'canceled',
    ended_at: end + 8 * dayS,
    cancellation_details: { reason: 'payment_failed' }
  })
  assert.partialDeepStrictEqual(await stripe.invoices.retrieve(invoice?.id ?? ''), {
    status: 'open',
    attempt_count: 3,
    next_payment_attempt: null
  })
})

test("with afterLastRetry: 'unpaid', failed retries leave a subscription unpaid until an invoice is paid", async (t) => {
  const account = await startTestAccount(t, { retryDays: [], afterLastRetry: 'unpaid' })
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', failing)
  controls.advance(32 * dayS)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'unpaid')
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: 'open' })).data
  await assert.rejects(stripe.invoices.pay(invoice?.id ?? ''), {
    type: 'StripeCardError',
    statusCode: 402,
    code: 'card_declined'
  })
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.subscriptions.update(subscription.id, { default_payment_method: card.id })
  assert.partialDeepStrictEqual(await stripe.invoices.pay(invoice?.id ?? ''), { status: 'paid' })
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active')
})

test('with a new card the next attempt succeeds', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', failing)
  controls.advance(32 * dayS)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'past_due')
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.subscriptions.update(subscription.id, { default_payment_method: card.id })
  controls.advance(3 * dayS)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active')
})

test('a planned cancellation takes effect at the end of the period, and can be undone before', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { subscription } = await addSubscriber(account)
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
  const update = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })
  assert.partialDeepStrictEqual(update, {
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    status: 'active'
  })
  controls.advance(32 * dayS)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active')
  await stripe.subscriptions.update(subscription.id, { cancel_at: controls.nowS() + 3 * dayS })
  const before = controls.events().length
  controls.advance(4 * dayS)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'canceled')
  assert.deepEqual(typesSince(account, before), ['customer.subscription.deleted'])
})

test('a trial costs nothing; the first payment follows at its end', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'ada@example.com',
    line_items: [{ price: 'price_pro_month', quantity: 1 }],
    subscription_data: { trial_period_days: 14 },
    success_url: 'https://app.example.com'
  })
  const done = controls.pay(session.id)
  assert.partialDeepStrictEqual(done, { payment_status: 'no_payment_required' })
  const id = done.subscription ?? ''
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }), {
    status: 'trialing',
    latest_invoice: { status: 'paid', total: 0 }
  })
  controls.advance(14 * dayS)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }), {
    status: 'active',
    latest_invoice: { status: 'paid', total: 2_000 }
  })
})

test('an unpaid session expires on its own or on request', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  const create = () =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: 'price_pro_month', quantity: 1 }],
      success_url: 'https://app.example.com'
    })
  const [first, second] = [await create(), await create()]
  assert.partialDeepStrictEqual(await stripe.checkout.sessions.expire(first.id), { status: 'expired', url: null })
  await assert.rejects(stripe.checkout.sessions.expire(first.id), { message: /status of expired/, statusCode: 400 })
  controls.advance(dayS - 10)
  assert.equal((await stripe.checkout.sessions.retrieve(second.id)).status, 'open')
  controls.advance(10)
  assert.equal((await stripe.checkout.sessions.retrieve(second.id)).status, 'expired')
  assert.throws(() => controls.pay(second.id), { message: /no longer open/ })
  assert.equal(controls.events().filter(({ type }) => type === 'checkout.session.expired').length, 2)
})

test('without a first payment, an incomplete subscription ends after 23 hours', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  const customer = await stripe.customers.create({})
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_pro_month' }],
    payment_behavior: 'default_incomplete'
  })
  assert.equal(subscription.status, 'incomplete')
  controls.advance(23 * 3_600)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] }), {
    status: 'incomplete_expired',
    latest_invoice: { status: 'void' }
  })
})

test('elapsed time has the same effect as an advanced clock', async (t) => {
  let offsetMs = 0
  const account = await startTestAccount(t, { now: () => Date.now() + offsetMs })
  const { subscription } = await addSubscriber(account)
  offsetMs = 32 * dayS * 1000
  const renewed = await account.stripe.subscriptions.retrieve(subscription.id)
  assert.equal(renewed.items.data[0]?.current_period_start, subscription.items.data[0]?.current_period_end)
})

test('many small advances have the same effect as one', async (t) => {
  const startMs = Date.parse('2026-01-31T12:00:00Z')
  const until = 200 * dayS
  /** The events of two subscribers: the first pays, the second does not. */
  const history = async (steps: readonly number[]) => {
    const account = await startTestAccount(t, { now: () => startMs })
    await addSubscriber(account)
    await addSubscriber(account, 'price_team_month', failing)
    for (const seconds of steps) account.controls.advance(seconds)
    const events = account.controls
      .events()
      .map(({ type, created, data }) => `${created} ${data.object.object} ${type}`)
    await account.close()
    return events
  }
  const atOnce = await history([until])
  const steps = fc.uniqueArray(fc.integer({ min: 1, max: until - 1 }), { maxLength: 30 }).map((times) => {
    const marks = [0, ...times.sort((a, b) => a - b), until]
    return marks.slice(1).map((mark, index) => mark - (marks[index] ?? 0))
  })
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => assert.deepEqual(await history(steps), atOnce)),
    propertyRuns(5)
  )
})
