import assert from 'node:assert/strict'
import { test } from 'tap'
import { completeSettings } from '../settings.ts'
import { openDatabase } from '../store/database.ts'
import { createDeliveries, type Deliveries } from '../store/deliveries.ts'
import { createObjects } from '../store/objects.ts'
import { startTestAccount } from '../test-account.ts'
import { Deliverer } from './deliverer.ts'
import { defaultMode } from './delivery-mode.ts'
import { startReceiver } from './test-receiver.ts'

const secret = 'whsec_test'

/** Starts an account that sends its events to a receiver. */
async function prepare(
  t: Parameters<typeof startTestAccount>[0],
  options: Parameters<typeof startTestAccount>[1] = {}
) {
  const receiver = await startReceiver(t)
  const account = await startTestAccount(t, { webhook: { url: receiver.url, secrets: [secret] }, ...options })
  return { receiver, account, ...account }
}

test('the signature covers the exact bytes of an event, and Stripe’s library accepts it', async (t) => {
  const { stripe, receiver, controls } = await prepare(t)
  const customer = await stripe.customers.create({ name: 'Zoë (née "Ada")' })
  await controls.settled()
  const [first] = receiver.received
  if (first === undefined) throw new Error('nothing arrived')
  const event = receiver.verify(first, secret)
  assert.partialDeepStrictEqual(event, {
    object: 'event',
    type: 'customer.created',
    api_version: '2026-10-28.endive',
    livemode: false,
    data: { object: { id: customer.id, name: 'Zoë (née "Ada")' } },
    request: { id: customer.lastResponse.requestId }
  })
  assert.match(event.request?.idempotency_key ?? '', /^stripe-node-retry-/)
  assert.throws(() => receiver.verify(first, 'whsec_other'))
  assert.throws(() => receiver.verify({ ...first, body: JSON.stringify(JSON.parse(first.body)) }, secret))
})

test('during a rotation, deliveries carry a signature of each secret', async (t) => {
  const receiver = await startReceiver(t)
  const { stripe, controls } = await startTestAccount(t, {
    webhook: { url: receiver.url, secrets: ['whsec_new', 'whsec_old'] }
  })
  await stripe.customers.create({})
  await controls.settled()
  for (const received of receiver.received) {
    assert.ok(receiver.verify(received, 'whsec_new'))
    assert.ok(receiver.verify(received, 'whsec_old'))
  }
})

test('an endpoint created through the API receives its event types, signed with its own secret', async (t) => {
  const receiver = await startReceiver(t)
  const { stripe, controls } = await startTestAccount(t)
  const endpoint = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.updated'] })
  assert.match(endpoint.secret ?? '', /^whsec_/)
  assert.equal(
    (await stripe.webhookEndpoints.retrieve(endpoint.id)).secret,
    undefined,
    'only the first answer contains the secret'
  )
  const { id } = await stripe.customers.create({})
  await stripe.customers.update(id, { name: 'Ada' })
  await controls.settled()
  const [received] = receiver.received
  assert.equal(receiver.received.length, 1)
  assert.partialDeepStrictEqual(received && receiver.verify(received, endpoint.secret ?? ''), {
    type: 'customer.updated',
    data: { previous_attributes: { name: null } }
  })
  await stripe.webhookEndpoints.del(endpoint.id)
  assert.deepEqual((await stripe.webhookEndpoints.list()).data, [])
  await stripe.customers.update(id, { name: 'Bob' })
  await controls.settled()
  assert.equal(receiver.received.length, 1)
})

test('a refused or unanswered delivery is retried until it succeeds', async (t) => {
  const { stripe, receiver, controls } = await prepare(t, { webhookTimeoutMs: 400 })
  const answers = [500, 302, null, 204]
  receiver.answerWith((index) => answers[index] ?? null)
  await stripe.customers.create({})
  await controls.settled()
  assert.equal(receiver.received.length, 4)
  assert.equal(new Set(receiver.received.map(({ eventId }) => eventId)).size, 1)
  assert.partialDeepStrictEqual(controls.deliveries(), [{ state: 'delivered', tries: 4, last_status: 204 }])
  assert.equal((await stripe.events.list({ delivery_success: true })).data.length, 1)
})

test('a delivery fails for good after the last attempt, and its event stays listed', async (t) => {
  const { stripe, receiver, controls } = await prepare(t, { webhookTries: 3 })
  receiver.answerWith(() => 500)
  await stripe.customers.create({})
  await controls.settled()
  assert.partialDeepStrictEqual(controls.deliveries(), [{ state: 'failed', tries: 3, last_status: 500 }])
  assert.partialDeepStrictEqual((await stripe.events.list({ delivery_success: false })).data, [
    { type: 'customer.created', pending_webhooks: 1 }
  ])
  receiver.answerWith(() => 200)
  const [event] = controls.events()
  assert.deepEqual(await controls.resend(event?.id ?? ''), [200])
})

test('held events are sent on release, in the requested order', async (t) => {
  const { stripe, receiver, controls } = await prepare(t)
  controls.deliverAs({ hold: ['*'] })
  for (const name of ['a', 'b', 'c']) await stripe.customers.create({ name })
  await controls.settled()
  assert.equal(receiver.received.length, 0)
  const [a, b, c] = controls.events().map(({ id }) => id)
  await controls.release([c ?? '', a ?? ''])
  assert.deepEqual(
    receiver.received.map(({ eventId }) => eventId),
    [c, a]
  )
  await controls.release()
  assert.deepEqual(
    receiver.received.map(({ eventId }) => eventId),
    [c, a, b]
  )
})

test('types can be dropped or delivered twice', async (t) => {
  const { stripe, receiver, controls } = await prepare(t)
  controls.deliverAs({ drop: ['customer.created'], duplicate: ['customer.updated'] })
  const { id } = await stripe.customers.create({})
  await stripe.customers.update(id, { name: 'Ada' })
  await stripe.customers.del(id)
  await controls.settled()
  assert.deepEqual(receiver.received.map(({ type }) => type).sort(), [
    'customer.deleted',
    'customer.updated',
    'customer.updated'
  ])
  assert.equal((await stripe.events.list()).data.length, 3, 'all events are listed')
})

test('the random numbers choose the order of a shuffled release', async (t) => {
  const random = [0.9, 0.1, 0.5, 0.3]
  let drawn = 0
  const { stripe, receiver, controls } = await prepare(t, { random: () => random[drawn++] ?? 0 })
  controls.deliverAs({ hold: ['*'] })
  for (const name of ['a', 'b', 'c', 'd']) await stripe.customers.create({ name })
  await controls.releaseShuffled()
  const [a, b, c, d] = controls.events().map(({ id }) => id)
  assert.deepEqual(
    receiver.received.map(({ eventId }) => eventId),
    [b, d, a, c]
  )
})

test('with shuffle, the events of one change arrive one after another in random order', async (t) => {
  const { stripe, receiver, controls } = await prepare(t, { random: () => 0 })
  controls.deliverAs({ shuffle: true })
  const customer = await stripe.customers.create({ name: 'Ada' })
  await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await controls.settled()
  const before = receiver.received.length
  const [card] = (await stripe.paymentMethods.list({ customer: customer.id })).data
  await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: 'price_pro_month' }],
    default_payment_method: card?.id ?? ''
  })
  await controls.settled()
  const inOrder = controls
    .events()
    .map(({ id }) => id)
    .slice(before)
  const arrived = receiver.received.slice(before).map(({ eventId }) => eventId)
  assert.deepEqual([...arrived].sort(), [...inOrder].sort())
  assert.notDeepEqual(arrived, inOrder)
})

test('the next server sends the deliveries that a stop left open', async (t) => {
  const dataDir = t.testdir()
  const receiver = await startReceiver(t)
  const webhook = { url: receiver.url, secrets: [secret] }
  receiver.answerWith(() => 503)
  const first = await startTestAccount(t, { dataDir, webhook })
  await first.stripe.customers.create({})
  await receiver.arrived(1)
  await first.close()
  receiver.answerWith(() => 200)
  const second = await startTestAccount(t, { dataDir, webhook })
  await second.controls.settled()
  assert.partialDeepStrictEqual(second.controls.deliveries(), [{ state: 'delivered' }])
})

test('an idle deliverer does not poll, in any mode', async (t) => {
  const database = openDatabase(null)
  t.teardown(() => database.close())
  const deliveries = createDeliveries(database)
  let looks = 0
  const counted: Deliveries = {
    ...deliveries,
    inState(state) {
      looks++
      return deliveries.inState(state)
    }
  }
  const context = {
    database,
    deliveries: counted,
    objects: createObjects(database, () => null),
    settings: completeSettings({ apiKey: 'sk_test_none' })
  }
  for (const shuffle of [false, true]) {
    looks = 0
    const deliverer = new Deliverer(context, () => ({ ...defaultMode, shuffle }), Math.random)
    deliverer.wake()
    await deliverer.release([])
    await deliverer.settled()
    assert.ok(looks < 5, `it looked ${looks} times`)
    deliverer.close()
  }
})
