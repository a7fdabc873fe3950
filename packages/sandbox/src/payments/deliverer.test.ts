import assert from 'node:assert/strict'
import { test } from 'tap'
import { createDeliveries, type Deliveries, openDatabase } from './database.ts'
import { Deliverer } from './deliverer.ts'
import { createObjects } from './object-store.ts'
import { completeSettings } from './settings.ts'
import { startTestAccount } from './test-account.ts'
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

test('an idle deliverer does not poll', async (t) => {
  const database = openDatabase(null)
  t.teardown(() => database.close())
  const deliveries = createDeliveries(database)
  let looks = 0
  const spy: Deliveries = {
    ...deliveries,
    inState(state) {
      looks++
      return deliveries.inState(state)
    }
  }
  const context = {
    database,
    deliveries: spy,
    objects: createObjects(database, () => null),
    settings: completeSettings({ apiKey: 'sk_test_none' })
  }
  const deliverer = new Deliverer(context)
  deliverer.wake()
  await deliverer.settled()
  assert.ok(looks < 5, `it looked ${looks} times`)
  deliverer.close()
})
