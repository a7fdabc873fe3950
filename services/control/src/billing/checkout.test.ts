import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { actions, deliver } from './testing/start-billing.ts'
import { startReplicas } from './testing/start-replicas.ts'

test('checkout at two replicas', async (t) => {
  const replicas = await startReplicas(t)
  if (replicas === null) return
  const { one, two, payments, stripe, checkout, buy, sessionOf, eventsSince, live, settle } = replicas
  const { controls } = payments
  const elsewhere = actions(two, payments)
  const urlOf = ({ body }: { body: unknown }) => (body as { url?: string }).url
  const customersOf = async (email: string) => (await stripe.customers.list({ email })).data
  const openSessions = async (customer: string) =>
    (await stripe.checkout.sessions.list({ customer, limit: 100 })).data.filter(({ status }) => status === 'open')

  const eventsOf = (type: string) =>
    queryRows<{ account: string | null; data: Record<string, unknown> }>(
      one.database.orm,
      sql`select account_id as account, data from events where type = ${type}`
    )

  await t.test('concurrent clicks give one customer, one page and one subscription', async () => {
    const user = await one.signUp()
    const clicks = await Promise.all([
      checkout(user),
      elsewhere.checkout(user),
      checkout(user),
      elsewhere.checkout(user)
    ])
    for (const { status } of clicks) assert.equal(status, 200)
    assert.equal(new Set(clicks.map(urlOf)).size, 1)
    const customers = await customersOf(user.email)
    assert.equal(customers.length, 1)
    assert.equal((await openSessions(customers[0]!.id)).length, 1)
    controls.pay((await sessionOf(clicks[0]!)).id)
    assert.equal((await live(customers[0]!.id)).length, 1)
    assert.equal((await elsewhere.checkout(user)).status, 409, 'before any event arrived')
  })

  await t.test('a checkout for another price closes the earlier page', async () => {
    const user = await one.signUp()
    const first = await sessionOf(await checkout(user, 'price_pro_monthly'))
    const second = await sessionOf(await elsewhere.checkout(user, 'price_team_monthly'))
    assert.equal((await stripe.checkout.sessions.retrieve(first.id)).status, 'expired')
    assert.equal(urlOf(await checkout(user, 'price_team_monthly')), second.url)
    await Promise.all([checkout(user, 'price_pro_yearly'), elsewhere.checkout(user, 'price_pro_monthly')])
    const [customer] = await customersOf(user.email)
    assert.ok((await openSessions(customer!.id)).length <= 1)
  })

  await t.test(
    'of two paid subscriptions the dearer one stays, the other is credited, and both sides are told',
    async () => {
      const user = await one.signUp()
      const session = await sessionOf(await checkout(user))
      const customer = session.customer as string
      const before = controls.events().length
      const second = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        line_items: [{ price: 'price_team_monthly', quantity: 1 }],
        success_url: 'http://localhost:3000/',
        subscription_data: { metadata: { account_id: user.id } }
      })
      const third = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        line_items: [{ price: 'price_pro_yearly', quantity: 1 }],
        success_url: 'http://localhost:3000/'
      })
      const surplus = controls.pay(session.id).subscription
      controls.advance(60)
      const subscription = controls.pay(second.id).subscription
      const events = eventsSince(before)
      await Promise.all(events.map((event, index) => deliver(event, index % 2 === 0 ? one : two)))
      assert.deepEqual(await live(customer), [subscription])
      assert.equal((await stripe.subscriptions.retrieve(surplus as string)).status, 'canceled')
      assert.equal((await stripe.checkout.sessions.retrieve(third.id)).status, 'expired')
      assert.equal((await replicas.plan(user)).id, 'team')
      const { balance } = (await stripe.customers.retrieve(customer)) as { balance: number }
      assert.ok(balance < -1990 && balance >= -2000, `credited ${balance}`)
      const told = await eventsOf('payment.duplicate')
      assert.deepEqual(
        told.map(({ account, data }) => [account, data.subscription_id, data.kept_subscription_id]).toSorted(),
        [
          [user.id, surplus, subscription],
          [null, surplus, subscription]
        ].toSorted()
      )
    }
  )

  await t.test('a subscription created elsewhere is left alone', async () => {
    const user = await one.signUp()
    const before = controls.events().length
    await buy(user)
    const [customer] = await customersOf(user.email)
    const { default_payment_method: card } = (await stripe.subscriptions.list({ customer: customer!.id })).data[0]!
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer!.id,
      line_items: [{ price: 'price_team_yearly', quantity: 1 }],
      success_url: 'http://localhost:3000/'
    })
    assert.ok(card)
    controls.pay(session.id)
    for (const event of eventsSince(before)) await deliver(event, two)
    assert.equal((await live(customer!.id)).length, 2)
    assert.equal((await replicas.plan(user)).id, 'team', 'the better plan applies')
  })

  await t.test('an account whose customer was deleted gets a new one', async () => {
    const user = await one.signUp()
    const session = await sessionOf(await checkout(user))
    await stripe.customers.del(session.customer as string)
    const again = await checkout(user)
    assert.equal(again.status, 200)
    const { customer } = await sessionOf(again)
    assert.notEqual(customer, session.customer)
    controls.pay((await sessionOf(again)).id)
    await settle()
    await one.dueCustomers.refreshDue()
    assert.equal((await replicas.plan(user)).id, 'pro')

    // A subscriber gets a new customer only after control knows that the subscription has ended.
    await stripe.customers.del(customer as string)
    assert.equal((await checkout(user)).status, 503)
    await settle()
    assert.equal((await replicas.plan(user)).id, 'free')
    assert.equal((await checkout(user)).status, 200)
  })

  await t.test('a purchase without an event is found by the comparison', async () => {
    const user = await one.signUp()
    const subscription = await buy(user)
    const look = async () => {
      two.passTime(3_600_000)
      assert.equal(await two.subscriptionSweeper.look(), true)
      await two.dueCustomers.refreshDue()
    }
    await look()
    assert.equal((await replicas.plan(user)).id, 'pro')
    const [customer] = await customersOf(user.email)
    controls.clearCalls()
    await look()
    const reads = () => controls.calls().filter(({ params }) => params.includes(customer!.id))
    assert.deepEqual(reads(), [], 'an unchanged customer is not read')
    await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
    await look()
    assert.notEqual((await replicas.plan(user)).cancel_at, null)
    await stripe.subscriptions.cancel(subscription)
    await look()
    assert.equal((await replicas.plan(user)).id, 'free')
  })
})
