import assert from 'node:assert/strict'
import { test } from 'tap'
import { startReceiver } from '../events/test-receiver.ts'
import { addSubscriber, startTestAccount } from '../test-account.ts'

/** Calls `/_sandbox`. @returns status and answer */
function caller(url: string) {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/_sandbox${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    })
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
  }
}

test('the clock can be read and advanced, by seconds or to a time', async (t) => {
  const account = await startTestAccount(t)
  const call = caller(account.url)
  const { subscription } = await addSubscriber(account)
  const end = subscription.items.data[0]?.current_period_end ?? 0
  const { status, answer } = await call('POST', '/clock/advance', { to: end })
  assert.equal(status, 200)
  // The clock goes on meanwhile.
  assert.ok(Number(answer.now) >= end && Number(answer.now) < end + 30, JSON.stringify(answer))
  assert.equal((await account.stripe.invoices.list()).data.length, 2)
  assert.partialDeepStrictEqual(await call('POST', '/clock/advance', { seconds: 60 }), { status: 200 })
  assert.ok(Number((await call('GET', '/clock')).answer.now) >= end + 60)
  const backwards = await call('POST', '/clock/advance', { to: end })
  assert.equal(backwards.status, 400)
  assert.match(JSON.stringify(backwards.answer.error), /turned back/)
  assert.equal((await call('POST', '/clock/advance', { seconds: 'many' })).status, 400)
  assert.equal((await call('POST', '/clock/advance')).status, 400)
})

test('webhooks can be held, released and sent again', async (t) => {
  const receiver = await startReceiver(t)
  const { stripe, url } = await startTestAccount(t, { webhook: { url: receiver.url, secrets: ['whsec_x'] } })
  const call = caller(url)
  assert.equal((await call('PUT', '/webhooks', { hold: ['*'] })).status, 200)
  await stripe.customers.create({})
  await stripe.customers.create({})
  assert.partialDeepStrictEqual((await call('GET', '/deliveries')).answer, {
    deliveries: [{ state: 'held' }, { state: 'held' }]
  })
  const [newest, oldest] = (await stripe.events.list()).data
  assert.partialDeepStrictEqual(
    (await call('POST', '/webhooks/release', { events: [newest?.id, oldest?.id] })).answer,
    {
      deliveries: [{ state: 'delivered' }, { state: 'delivered' }]
    }
  )
  assert.deepEqual(
    receiver.received.map(({ eventId }) => eventId),
    [newest?.id, oldest?.id]
  )
  assert.partialDeepStrictEqual(await call('POST', `/events/${newest?.id}/resend`), { answer: { statuses: [200] } })
  assert.equal((await call('POST', '/events/evt_none/resend')).status, 404)
  assert.equal((await call('PUT', '/webhooks', { hold: 'all' })).status, 400)
  await stripe.customers.create({})
  await call('POST', '/webhooks/release', { shuffle: true })
  assert.equal((await call('POST', '/webhooks/settle')).status, 200)
  assert.equal(receiver.received.length, 4)
})

test('failures can be planned and calls read', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  const call = caller(url)
  assert.partialDeepStrictEqual(await call('POST', '/failures', { status: 500, count: 2, path: '/v1/*' }), {
    answer: { failures: [{ count: 2 }] }
  })
  await assert.rejects(stripe.customers.list(), { message: /error on our end/ })
  assert.partialDeepStrictEqual(await call('GET', '/failures'), { answer: { failures: [{ count: 1 }] } })
  assert.deepEqual((await call('DELETE', '/failures')).answer, { failures: [] })
  assert.equal((await call('POST', '/failures', { status: 42 })).status, 400)
  assert.partialDeepStrictEqual(await call('GET', '/calls'), {
    answer: { calls: [{ method: 'GET', path: '/v1/customers', status: 500 }] }
  })
  assert.deepEqual((await call('DELETE', '/calls')).answer, { calls: [] })
})

test('a checkout can be paid, and a subscription set to any status', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  const call = caller(url)
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'ada@example.com',
    line_items: [{ price: 'price_pro_month', quantity: 1 }],
    success_url: 'https://app.example.com'
  })
  const path = `/checkout/sessions/${session.id}/pay`
  assert.partialDeepStrictEqual(await call('POST', path, { number: '4000000000000002' }), {
    status: 402,
    answer: { error: { code: 'card_declined' } }
  })
  const { status, answer } = await call('POST', path)
  assert.equal(status, 200)
  const id = String(answer.subscription)
  for (const wanted of ['paused', 'incomplete_expired', 'unpaid', 'active']) {
    assert.equal((await call('PUT', `/subscriptions/${id}`, { status: wanted })).status, 200)
    assert.equal((await stripe.subscriptions.retrieve(id)).status, wanted)
  }
  assert.equal((await call('PUT', `/subscriptions/${id}`, { status: 'lost' })).status, 400)
})

test('a checkout that was paid in the past has an invoice for each month since', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  const call = caller(url)
  const { id } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'ada@example.com',
    line_items: [{ price: 'price_pro_month', quantity: 1 }],
    success_url: 'https://app.example.com'
  })
  const now = Number((await call('GET', '/clock')).answer.now)
  const path = `/checkout/sessions/${id}/pay`
  assert.equal((await call('POST', path, { paid_at: now + 60 })).status, 400)
  const paidAt = now - 70 * 86_400
  const { answer } = await call('POST', path, { paid_at: paidAt })
  const invoices = (await stripe.invoices.list()).data
  assert.equal(invoices.length, 3)
  assert.equal(invoices.at(-1)?.created, paidAt)
  assert.ok(invoices.every(({ status }) => status === 'paid'))
  const { status, items } = await stripe.subscriptions.retrieve(String(answer.subscription))
  assert.equal(status, 'active')
  assert.ok((items.data[0]?.current_period_end ?? 0) > now)
  assert.ok(Number((await call('GET', '/clock')).answer.now) < now + 60, 'the clock is not changed')
})
