import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { codeOf } from '../testing/call-control.ts'
import { webhookSecret } from '../testing/control-options.ts'
import { deliver, deliverRaw, startBilling } from './testing/start-billing.ts'

const nextSecret = 'whsec_theSecretThatComesNext'
const minutes = (count: number) => count * 60

test('the webhook', async (t) => {
  const billing = await startBilling({ webhookSecrets: [webhookSecret, nextSecret] })
  t.after(() => billing.close())
  const { control, payments, stripe, plan, buy, eventsSince, happens } = billing
  const { app, database } = control
  const { controls } = payments
  const sign = (payload: string, options: { secret?: string; timestamp?: number } = {}) => ({
    'stripe-signature': Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: webhookSecret,
      timestamp: Math.floor(Date.now() / 1000),
      ...options
    })
  })
  const eventCount = () => queryRows<{ n: number }>(database.orm, sql`select count(*)::int as n from billing_events`)

  await t.test('accepts signed events, and nothing else', async () => {
    const user = await control.signUp()
    const before = controls.events().length
    await buy(user)
    const [event] = eventsSince(before)
    const body = JSON.stringify(event, null, 2)
    const now = Math.floor(Date.now() / 1000)
    const refused: Array<[name: string, body: string | Buffer, headers: Record<string, string>]> = [
      ['a wrong secret', body, sign(body, { secret: 'whsec_ofSomebodyElse' })],
      ['an old time', body, sign(body, { timestamp: now - minutes(6) })],
      ['an altered body', body.replace(user.id, user.id.replace(/./, 'x')), sign(body)],
      ['no header', body, {}],
      ['an empty header', body, { 'stripe-signature': '' }],
      ['JSON that was encoded again', JSON.stringify(JSON.parse(body)), sign(body)],
      ['a mebibyte of garbage', randomBytes(1 << 20), sign(body)],
      ['a mebibyte of garbage without a signature', randomBytes(1 << 20), {}],
      ['nothing', '', sign(body)],
      ['garbage that is signed', '\u0000garbage', sign('\u0000garbage')]
    ]
    controls.clearCalls()
    for (const [name, payload, headers] of refused) {
      const answer = await deliverRaw(app, payload, headers)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_signature'], name)
    }
    assert.deepEqual(controls.calls(), [], 'the provider is not asked')
    assert.deepEqual(await eventCount(), [{ n: 0 }])
    assert.equal((await plan(user)).id, 'free')

    // With any content type.
    const answer = await deliverRaw(app, body, { ...sign(body, { secret: nextSecret }), 'content-type': 'text/plain' })
    assert.deepEqual([answer.status, answer.body], [200, { received: true }])
    assert.equal((await plan(user)).id, 'pro')
    assert.deepEqual(await eventCount(), [{ n: 1 }])
  })

  await t.test('refuses a body that is larger than any event by its length', async () => {
    const body = 'x'.repeat(3 << 20)
    const answer = await deliverRaw(app, body, sign(body))
    assert.deepEqual([answer.status, codeOf(answer)], [413, 'request_too_large'])
  })

  await t.test('handles an event once, and reads the provider once', async () => {
    const user = await control.signUp()
    const before = controls.events().length
    await buy(user)
    const events = eventsSince(before)
    assert.ok(events.length >= 2)
    const [first] = events
    controls.clearCalls()
    assert.equal((await deliver(first!, control)).status, 200)
    const reads = () => controls.calls().filter(({ path }) => path === '/v1/subscriptions').length
    assert.equal(reads(), 1)
    assert.equal((await deliver(first!, control)).status, 200)
    assert.equal((await deliver(first!, control, nextSecret)).status, 200)
    assert.equal(reads(), 1)
    assert.equal((await deliver(events[1]!, control)).status, 200)
    assert.equal(reads(), 2)
  })

  await t.test('ignores other customers, objects and events', async () => {
    const customer = await stripe.customers.create({ email: 'elsewhere@example.com' })
    const event = (type: string, object: object) => ({
      id: `evt_${randomBytes(8).toString('hex')}`,
      type,
      data: { object }
    })
    const before = (await eventCount())[0]!.n
    controls.clearCalls()
    for (const one of [
      event('customer.subscription.updated', { customer: customer.id }),
      event('customer.subscription.updated', { customer: 'cus_nobody' }),
      event('customer.subscription.updated', { customer: null }),
      event('checkout.session.completed', { mode: 'payment' }),
      event('payment_intent.succeeded', { customer: customer.id }),
      event('customer.subscription.updated', { customer: "'; drop table customers; --" })
    ]) {
      const answer = await deliver(one, control)
      assert.deepEqual([answer.status, answer.body], [200, { received: true }], one.type)
    }
    assert.deepEqual(controls.calls(), [])
    assert.equal((await eventCount())[0]!.n, before)
  })

  await t.test('does not use the subscription in an event', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    const before = controls.events().length
    await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
    const [event] = eventsSince(before)
    const object = { ...event!.data.object, status: 'canceled', items: { data: [] } }
    assert.equal((await deliver({ ...event, data: { object } }, control)).status, 200)
    const details = await plan(user)
    assert.equal(details.id, 'pro')
    assert.notEqual(details.cancel_at, null)
  })

  await t.test('a failed payment is shown as past due, and the plan ends when the provider gives up', async () => {
    const user = await control.signUp()
    const session = await billing.sessionOf(await billing.checkout(user))
    await happens(() => controls.pay(session.id, { number: '4000000000000341' }))
    assert.deepEqual([(await plan(user)).id, (await plan(user)).past_due], ['pro', false])
    await happens(() => controls.advance(32 * 86_400))
    assert.deepEqual([(await plan(user)).id, (await plan(user)).past_due], ['pro', true])
    await happens(() => controls.advance(60 * 86_400))
    assert.equal((await plan(user)).id, 'free')
  })

  await t.test(
    'an unknown price changes nothing, and the log, the operators and the owner hear of it once',
    async () => {
      const user = await control.signUp()
      const subscription = await happens(() => buy(user))
      const price = await stripe.prices.create({
        currency: 'usd',
        unit_amount: 1,
        recurring: { interval: 'month' },
        product: 'prod_pro'
      })
      const [item] = (await stripe.subscriptions.retrieve(subscription)).items.data
      await happens(() => stripe.subscriptions.update(subscription, { items: [{ id: item!.id, price: price.id }] }))
      assert.equal((await plan(user)).id, 'pro')
      const line = control.logged.find((one) => one.includes(price.id) && one.includes('"level":50'))
      assert.match(line ?? '', /not in the catalog: price price_/)
      assert.ok(line?.includes(user.id))
      await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
      await control.customerRefresher.refresh(user.id)
      const told = await queryRows<{ account: string | null; prices: string[] }>(
        database.orm,
        sql`
        select account_id as account, data->'price_ids' as prices from events
        where type = 'payment.unmatched' order by account_id nulls last`
      )
      assert.deepEqual(told, [
        { account: user.id, prices: [price.id] },
        { account: null, prices: [price.id] }
      ])
      const mailed = await queryRows<{ kind: string }>(
        database.orm,
        sql`select kind from mails where recipient in ('operators', ${`account:${user.id}`}) order by kind`
      )
      assert.deepEqual(mailed, [{ kind: 'account' }, { kind: 'payments' }])
    }
  )
})
