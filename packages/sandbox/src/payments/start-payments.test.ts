import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { PortTakenError } from '../free-port.ts'
import { addSubscriber, newStripe, startTestAccount } from './test-account.ts'

const dayS = 86_400

test('the real client takes a customer from checkout to cancellation', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const customer = await stripe.customers.create({ email: 'ada@example.com', metadata: { user_id: 'u1' } })
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: 'price_pro_month', quantity: 1 }],
    success_url: 'https://app.example.com/done',
    client_reference_id: 'u1',
    subscription_data: { metadata: { user_id: 'u1' } }
  })
  assert.partialDeepStrictEqual(session, {
    object: 'checkout.session',
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 2_000
  })
  controls.pay(session.id)

  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['subscription', 'invoice', 'line_items']
  })
  assert.partialDeepStrictEqual(paid, {
    status: 'complete',
    payment_status: 'paid',
    url: null,
    customer: customer.id,
    client_reference_id: 'u1',
    subscription: { object: 'subscription', status: 'active', metadata: { user_id: 'u1' } },
    invoice: { object: 'invoice', status: 'paid', amount_paid: 2_000 },
    line_items: { data: [{ description: 'Pro', price: { id: 'price_pro_month' } }] }
  })
  const {
    data: [subscription]
  } = await stripe.subscriptions.list({ customer: customer.id })
  if (subscription === undefined) throw new Error('no subscription')
  const item = subscription.items.data[0]
  assert.ok(item && item.current_period_end > item.current_period_start + 27 * dayS, 'periods are on the items')
  assert.equal('current_period_end' in subscription, false)

  const ending = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
  assert.partialDeepStrictEqual(ending, {
    status: 'active',
    cancel_at_period_end: true,
    cancel_at: item?.current_period_end
  })
  controls.advance(32 * dayS)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(subscription.id), {
    status: 'canceled',
    ended_at: item?.current_period_end
  })
  assert.deepEqual(
    (await stripe.subscriptions.list({ customer: customer.id })).data,
    [],
    'canceled subscriptions are left out'
  )
  assert.equal((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data.length, 1)
})

test('refunds are listed newest first, and lead to their invoice, also after one has failed', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer } = await addSubscriber(account)
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
  const part = controls.refund(invoice!.id!, 500)
  controls.advance(60)
  const rest = controls.refund(invoice!.id!)
  assert.throws(() => controls.refund(invoice!.id!, 1), /greater than unrefunded/)
  controls.failRefund(rest.id)

  const { data: refunds } = await stripe.refunds.list({ created: { gte: part.created } })
  assert.deepEqual(
    refunds.map(({ id, amount, status, customer: payer }) => [id, amount, status, payer]),
    [
      [rest.id, 1500, 'failed', customer.id],
      [part.id, 500, 'succeeded', customer.id]
    ]
  )
  const payment = { type: 'payment_intent', payment_intent: part.payment_intent! } as const
  const { data: payments } = await stripe.invoicePayments.list({ payment })
  assert.deepEqual(
    payments.map((one) => one.invoice),
    [invoice!.id]
  )
})

test('data, clock and idempotency keys survive a restart', async (t) => {
  const dataDir = await temporaryDirectory(t)
  const first = await startTestAccount(t, { dataDir })
  const { customer, subscription } = await addSubscriber(first)
  const repeatable = { idempotencyKey: 'once' }
  const created = await first.stripe.customers.create({ name: 'Bob' }, repeatable)
  first.controls.advance(40 * dayS)
  const nowS = first.controls.nowS()
  const events = first.controls.events()
  await first.close()

  const second = await startTestAccount(t, { dataDir })
  assert.ok(second.controls.nowS() - nowS < 60)
  assert.equal((await second.stripe.customers.retrieve(customer.id)).id, customer.id)
  assert.equal((await second.stripe.subscriptions.retrieve(subscription.id)).status, 'active')
  assert.equal((await second.stripe.invoices.list({ customer: customer.id })).data.length, 2)
  assert.deepEqual(second.controls.events(), events)
  const later = await second.stripe.customers.create({ name: 'Bob' }, { idempotencyKey: 'fresh' })
  assert.notEqual(later.id, created.id)
  await second.close()

  const third = await startTestAccount(t, { dataDir })
  assert.equal((await third.stripe.customers.create({ name: 'Bob' }, { idempotencyKey: 'fresh' })).id, later.id)
})

test('only one server at a time can use a data directory', async (t) => {
  const dataDir = await temporaryDirectory(t)
  await startTestAccount(t, { dataDir })
  await assert.rejects(startTestAccount(t, { dataDir }), {
    message: /payments\.sqlite is in use by another payments server/
  })
})

test('a taken port is reported before the data is opened', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => other.close(resolve)))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await assert.rejects(startTestAccount(t, { port }), new PortTakenError(port))
})

test('a wrong or missing key is refused with 401', async (t) => {
  const { port, url } = await startTestAccount(t)
  await assert.rejects(newStripe(port, 'sk_test_someoneelseskey').customers.list(), {
    type: 'StripeAuthenticationError',
    statusCode: 401,
    message: 'Invalid API Key provided: sk_test_********skey'
  })
  const response = await fetch(`${url}/v1/customers`)
  assert.equal(response.status, 401)
  const { error } = (await response.json()) as { error: { type: string; message: string } }
  assert.equal(error.type, 'invalid_request_error')
  assert.match(error.message, /did not provide an API key/)
})

async function temporaryDirectory(t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-payments-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}
