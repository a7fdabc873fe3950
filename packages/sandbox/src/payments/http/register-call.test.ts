import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'tap'
import { addSubscriber, newStripe, startTestAccount } from '../test-account.ts'

test('a repeated request gets the first answer and changes nothing', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  const options = { idempotencyKey: 'key-1' }
  const first = await stripe.customers.create({ name: 'Ada' }, options)
  const again = await stripe.customers.create({ name: 'Ada' }, options)
  assert.equal(again.id, first.id)
  assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined)
  assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true')
  assert.notEqual(again.lastResponse.requestId, first.lastResponse.requestId)
  assert.equal((await stripe.customers.list()).data.length, 1)
  assert.equal(controls.events().length, 1)
  controls.advance(86_400)
  assert.notEqual((await stripe.customers.create({ name: 'Ada' }, options)).id, first.id, 'keys are kept for a day')
})

test('a key with other parameters or for another call is refused', async (t) => {
  const { stripe } = await startTestAccount(t)
  const options = { idempotencyKey: 'key-1' }
  await stripe.customers.create({ name: 'Ada' }, options)
  const refused = {
    type: 'StripeIdempotencyError',
    statusCode: 400,
    message: /^Keys for idempotent requests can only be used with the same parameters/
  }
  await assert.rejects(stripe.customers.create({ name: 'Bob' }, options), refused)
  const price = { product: 'prod_pro', currency: 'usd', unit_amount: 5 }
  await assert.rejects(stripe.prices.create(price, options), refused)
})

test('an invalid request does not use up its key', async (t) => {
  const { stripe } = await startTestAccount(t)
  const options = { idempotencyKey: 'key-1' }
  await assert.rejects(stripe.customers.create({ email: 'nobody' }, options), { code: 'email_invalid', param: 'email' })
  assert.ok(await stripe.customers.create({ email: 'a@example.com' }, options))
})

test('a key whose first request is still in progress is refused with 409', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  controls.failNext({ delay_ms: 1_000 })
  const options = { idempotencyKey: 'key-1' }
  const slow = stripe.customers.create({ name: 'Ada' }, options)
  const [first, second] = await Promise.allSettled([slow, stripe.customers.create({ name: 'Ada' }, options)])
  const outcomes = [first, second].map((outcome) => (outcome.status === 'rejected' ? outcome.reason.statusCode : 200))
  assert.deepEqual(outcomes.sort(), [200, 409])
  assert.equal((await stripe.customers.list()).data.length, 1)
})

test('calls fail as planned, and then succeed', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  controls.failNext({ status: 429 })
  await assert.rejects(stripe.customers.list(), { type: 'StripeRateLimitError', statusCode: 429, code: 'rate_limit' })
  controls.failNext({ status: 500 })
  await assert.rejects(stripe.customers.list(), {
    type: 'StripeAPIError',
    statusCode: 500,
    message: /error on our end/
  })
  controls.failNext({ status: 503, body: '<h1>Away</h1>', content_type: 'text/html' })
  await assert.rejects(stripe.customers.list(), { type: 'StripeAPIError', message: /Invalid JSON/ })
  assert.ok(await stripe.customers.list())
})

test('only matching calls fail, as often as planned', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  controls.failNext({ status: 500, count: 2, method: 'GET', path: '/v1/customers/*' })
  const { id } = await stripe.customers.create({})
  assert.ok(await stripe.customers.list())
  await assert.rejects(stripe.customers.retrieve(id))
  await assert.rejects(stripe.customers.retrieve(id))
  assert.ok(await stripe.customers.retrieve(id))
  controls.failNext({ status: 500, path: '/v1/prices' })
  assert.equal(controls.plannedFailures().length, 1)
  controls.clearFailures()
  assert.ok(await stripe.prices.list())
})

test('another process lets a call hang, and releases it', async (t) => {
  const { stripe, controls, url } = await startTestAccount(t)
  const failures = async (method: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/_sandbox/failures`, {
      method,
      ...(body !== undefined && { headers, body: JSON.stringify(body) })
    })
    return [answer.status, await answer.json()]
  }
  assert.deepEqual(await failures('POST', { hang: true }), [200, { planned: [{ hang: true, count: 1 }] }])
  const hanging = stripe.customers.list()
  while (controls.plannedFailures().length > 0) await setImmediate()
  assert.deepEqual(controls.calls().at(-1)?.status, null)
  assert.deepEqual(await failures('DELETE'), [200, { planned: [] }])
  assert.deepEqual((await hanging).data, [])
})

test('a connection can be cut before the call runs, or after', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  const options = { idempotencyKey: 'key-1' }
  // The client itself retries once after a cut connection.
  controls.failNext({ reset: true, count: 2 })
  await assert.rejects(stripe.customers.create({ name: 'Ada' }, options), {
    type: 'StripeConnectionError',
    message: /connection to Stripe/
  })
  assert.equal((await stripe.customers.list()).data.length, 0)
  controls.failNext({ reset: true, when: 'after', count: 2 })
  await assert.rejects(stripe.customers.create({ name: 'Ada' }, options), {
    type: 'StripeConnectionError',
    message: /connection to Stripe/
  })
  const [made] = (await stripe.customers.list()).data
  assert.equal(
    (await stripe.customers.create({ name: 'Ada' }, options)).id,
    made?.id,
    'the key finds the created customer'
  )
})

test('a client that retries succeeds, and one customer exists', async (t) => {
  const { port, controls } = await startTestAccount(t)
  const stripe = newStripe(port)
  controls.failNext({ status: 500, when: 'after' })
  const customer = await stripe.customers.create({ name: 'Ada' }, { maxNetworkRetries: 1 })
  assert.equal(customer.lastResponse.headers['idempotent-replayed'], 'true')
  assert.deepEqual(
    (await stripe.customers.list()).data.map(({ id }) => id),
    [customer.id]
  )
})

test('the calls are recorded with their keys, statuses and parameters', async (t) => {
  const { stripe, controls } = await startTestAccount(t)
  await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'key-1' })
  await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'key-1' })
  await stripe.customers.list({ limit: 1 })
  await assert.rejects(stripe.customers.retrieve('cus_none'))
  assert.partialDeepStrictEqual(controls.calls(), [
    {
      method: 'POST',
      path: '/v1/customers',
      params: 'name=Ada',
      idempotency_key: 'key-1',
      status: 200,
      is_replayed: false
    },
    { idempotency_key: 'key-1', status: 200, is_replayed: true },
    { method: 'GET', path: '/v1/customers', params: 'limit=1', idempotency_key: null, status: 200 },
    { path: '/v1/customers/cus_none', status: 404 }
  ])
  controls.clearCalls()
  assert.deepEqual(controls.calls(), [])
})

test('requested ids are expanded to objects, also in lists and nested', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  const { data } = await stripe.subscriptions.list({
    expand: ['data.latest_invoice.payments', 'data.customer', 'data.default_payment_method']
  })
  assert.partialDeepStrictEqual(data, [
    {
      id: subscription.id,
      customer: { object: 'customer', id: customer.id },
      default_payment_method: { object: 'payment_method', card: { last4: '4242' } },
      latest_invoice: { object: 'invoice', payments: { data: [{ status: 'paid', amount_paid: 2_000 }] } }
    }
  ])
  const priced = await stripe.subscriptions.retrieve(subscription.id, { expand: ['items.data.price.product'] })
  assert.partialDeepStrictEqual(priced.items.data, [{ price: { product: { object: 'product', name: 'Pro' } } }])
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
    expand: ['parent.subscription_details.subscription']
  })
  assert.partialDeepStrictEqual(invoice.parent, { subscription_details: { subscription: { object: 'subscription' } } })
  const withSubscriptions = await stripe.customers.retrieve(customer.id, { expand: ['subscriptions'] })
  assert.partialDeepStrictEqual(withSubscriptions, { subscriptions: { data: [{ id: subscription.id }] } })
  await stripe.customers.del(customer.id)
  const later = await stripe.subscriptions.retrieve(subscription.id, { expand: ['customer'] })
  assert.partialDeepStrictEqual(later.customer, { id: customer.id, deleted: true })
})

test('an invalid expansion is refused and changes nothing', async (t) => {
  const { stripe } = await startTestAccount(t)
  await assert.rejects(stripe.customers.create({ expand: ['friends'] }), {
    statusCode: 400,
    message: /cannot be expanded \(friends\)/
  })
  assert.deepEqual((await stripe.customers.list()).data, [])
  await assert.rejects(stripe.prices.list({ expand: ['data.currency.country'] }), {
    statusCode: 400,
    message: /cannot be expanded/
  })
  const deep = ['data.items.data.price.product']
  await assert.rejects(stripe.subscriptions.list({ expand: deep }), { statusCode: 400, message: /more than 4 levels/ })
})
