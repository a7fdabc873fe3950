import t from 'tap'
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

t.test('the clock can be read and advanced, by seconds or to a time', async (t) => {
  const account = await startTestAccount(t)
  const call = caller(account.url)
  const { subscription } = await addSubscriber(account)
  const end = subscription.items.data[0]?.current_period_end ?? 0
  t.match(await call('POST', '/clock/advance', { to: end }), { status: 200, answer: { now: end } })
  t.equal((await account.stripe.invoices.list()).data.length, 2)
  t.match(await call('POST', '/clock/advance', { seconds: 60 }), { status: 200 })
  t.ok(Number((await call('GET', '/clock')).answer.now) >= end + 60)
  t.match(await call('POST', '/clock/advance', { to: end }), {
    status: 400,
    answer: { error: { message: /turned back/ } }
  })
  t.equal((await call('POST', '/clock/advance', { seconds: 'many' })).status, 400)
  t.equal((await call('POST', '/clock/advance')).status, 400)
})

t.test('webhooks can be held, released and sent again', async (t) => {
  const receiver = await startReceiver(t)
  const { stripe, url } = await startTestAccount(t, { webhook: { url: receiver.url, secrets: ['whsec_x'] } })
  const call = caller(url)
  t.equal((await call('PUT', '/webhooks', { hold: ['*'] })).status, 200)
  await stripe.customers.create({})
  await stripe.customers.create({})
  t.match((await call('GET', '/deliveries')).answer, { deliveries: [{ state: 'held' }, { state: 'held' }] })
  const [newest, oldest] = (await stripe.events.list()).data
  t.match((await call('POST', '/webhooks/release', { events: [newest?.id, oldest?.id] })).answer, {
    deliveries: [{ state: 'delivered' }, { state: 'delivered' }]
  })
  t.same(
    receiver.received.map(({ eventId }) => eventId),
    [newest?.id, oldest?.id]
  )
  t.match(await call('POST', `/events/${newest?.id}/resend`), { answer: { statuses: [200] } })
  t.equal((await call('POST', '/events/evt_none/resend')).status, 404)
  t.equal((await call('PUT', '/webhooks', { hold: 'all' })).status, 400)
  await stripe.customers.create({})
  await call('POST', '/webhooks/release', { shuffle: true })
  t.equal((await call('POST', '/webhooks/settle')).status, 200)
  t.equal(receiver.received.length, 4)
})

t.test('failures can be planned and calls read', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  const call = caller(url)
  t.match(await call('POST', '/failures', { status: 500, count: 2, path: '/v1/*' }), {
    answer: { failures: [{ count: 2 }] }
  })
  await t.rejects(stripe.customers.list(), { message: /error on our end/ })
  t.match(await call('GET', '/failures'), { answer: { failures: [{ count: 1 }] } })
  t.match(await call('DELETE', '/failures'), { answer: { failures: [] } })
  t.equal((await call('POST', '/failures', { status: 42 })).status, 400)
  t.match(await call('GET', '/calls'), { answer: { calls: [{ method: 'GET', path: '/v1/customers', status: 500 }] } })
  t.match(await call('DELETE', '/calls'), { answer: { calls: [] } })
})

t.test('a checkout can be paid, and a subscription set to any status', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  const call = caller(url)
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'ada@example.com',
    line_items: [{ price: 'price_pro_month', quantity: 1 }],
    success_url: 'https://app.example.com'
  })
  const path = `/checkout/sessions/${session.id}/pay`
  t.match(await call('POST', path, { number: '4000000000000002' }), {
    status: 402,
    answer: { error: { code: 'card_declined' } }
  })
  const { status, answer } = await call('POST', path)
  t.equal(status, 200)
  const id = String(answer.subscription)
  for (const wanted of ['paused', 'incomplete_expired', 'unpaid', 'active']) {
    t.equal((await call('PUT', `/subscriptions/${id}`, { status: wanted })).status, 200)
    t.equal((await stripe.subscriptions.retrieve(id)).status, wanted)
  }
  t.equal((await call('PUT', `/subscriptions/${id}`, { status: 'lost' })).status, 400)
})
