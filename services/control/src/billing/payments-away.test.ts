import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { deliver, startBilling } from './testing/start-billing.ts'

/** Shorter than in production, so that the test is quick. */
const limitMs = 1500
const tenMinutes = 600_000
const webhooks = 200
/** A delay longer than the test, however slow the machine. */
const neverMs = 3_600_000

const outcomeOf = (answer: Answer) => [answer.status, codeOf(answer)]
const unavailable = [503, 'payments_unavailable']

test('a payment provider in trouble', async (t) => {
  const billing = await startBilling({ paymentsTimeoutMs: limitMs })
  t.after(() => billing.close())
  const { control, payments, stripe, checkout, portal, invoices, plan, buy, eventsSince, deliver, happens, settle } =
    billing
  const { controls } = payments

  await t.test('a failed refresh is repeated without another event', async () => {
    const user = await control.signUp()
    const before = controls.events().length
    await buy(user)
    const [event] = eventsSince(before)
    controls.failNext({ status: 429, count: 1000 })
    assert.deepEqual(outcomeOf(await deliver(event!)), unavailable)
    control.passTime(tenMinutes)
    await settle()
    assert.equal((await plan(user)).id, 'free')
    controls.clearFailures()
    await settle()
    assert.equal((await plan(user)).id, 'free', 'the next try is delayed')
    control.passTime(tenMinutes)
    await settle()
    assert.equal((await plan(user)).id, 'pro')
  })

  const troubles: Array<[name: string, failure: Parameters<typeof controls.failNext>[0]]> = [
    ['answers 500', { status: 500 }],
    ['answers 429', { status: 429 }],
    ['answers 503 in HTML, as a proxy does', { status: 503, body: '<html>', content_type: 'text/html' }],
    ['answers JSON that is not its own', { status: 200, body: '{"message":"hello"}' }],
    ['answers a list of something else', { status: 200, body: '{"object":"list","data":[{}],"has_more":false}' }],
    ['does not accept our key', { status: 401 }],
    ['resets connections', { reset: true }],
    ['is slow', { delay_ms: neverMs }]
  ]
  await t.test('is reported before the timeout, and leaves nothing half-done', async (t) => {
    const stranger = await control.signUp()
    const payer = await control.signUp()
    const subscription = await happens(() => buy(payer))
    for (const [name, failure] of troubles) {
      await t.test(name, async () => {
        const before = controls.events().length
        const was = await stripe.subscriptions.retrieve(subscription)
        await stripe.subscriptions.update(subscription, { cancel_at_period_end: !was.cancel_at_period_end })
        const details = await plan(payer)
        const [event] = eventsSince(before)
        controls.failNext({ ...failure, count: 1000 })
        const startedAt = performance.now()
        for (const answer of await Promise.all([checkout(stranger), portal(payer), invoices(payer), deliver(event!)])) {
          assert.deepEqual(outcomeOf(answer), unavailable)
          assert.ok(Number(answer.headers['retry-after']) >= 2)
        }
        assert.ok(performance.now() - startedAt < 10_000)
        controls.clearFailures()
        assert.deepEqual(await plan(payer), details)
        assert.equal((await deliver(event!)).status, 200)
        assert.notDeepEqual(await plan(payer), details)
      })
    }
    const { data } = await stripe.customers.list({ email: stranger.email })
    assert.deepEqual(data, [], 'no customer was left half-created')
  })

  await t.test('a subscription is not lost when its account is deleted meanwhile', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    controls.failNext({ status: 429, count: 1000 })
    const refused = await control.call('DELETE', '/api/auth/me', { cookie: user.cookie })
    assert.deepEqual(outcomeOf(refused), unavailable)
    const { cookie } = user
    assert.equal((await control.call('GET', '/api/auth/me', { cookie })).status, 200, 'they can ask again')
    controls.clearFailures()
    assert.equal((await stripe.subscriptions.retrieve(subscription)).status, 'active')
    // Without another call, the comparison with the identity provider completes it.
    control.passTime(24 * 3_600_000)
    await control.sweeper.look()
    assert.equal((await stripe.subscriptions.retrieve(subscription)).status, 'canceled')
    const [row] = await queryRows<{ deleted: boolean }>(
      control.database.orm,
      sql`select deleted_at is not null as deleted from users where id = ${user.id}`
    )
    assert.equal(row!.deleted, true)
  })

  await t.test('deleting an account ends its subscription and closes its open checkout pages', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    const waiting = await control.signUp()
    const session = await billing.sessionOf(await checkout(waiting))
    for (const { cookie } of [user, waiting]) {
      assert.equal((await control.call('DELETE', '/api/auth/me', { cookie })).status, 200)
    }
    assert.equal((await stripe.subscriptions.retrieve(subscription)).status, 'canceled')
    assert.equal((await stripe.checkout.sessions.retrieve(session.id)).status, 'expired')
  })
})

test('a revocation waits for no webhook while the payment provider hangs', async (t) => {
  // PGlite has a single connection: whoever holds it stops everybody else.
  const billing = await startBilling({ databaseUrl: 'pglite:memory', paymentsTimeoutMs: neverMs })
  t.after(() => billing.close())
  const { control, payments, checkout, sessionOf } = billing
  const user = await control.signUp()
  const { cookie } = user
  const payers = [user, ...(await Promise.all(Array.from({ length: 7 }, () => control.signUp())))]
  const customers: string[] = []
  for (const payer of payers) customers.push((await sessionOf(await checkout(payer))).customer as string)
  const created = await control.call('POST', '/api/keys', { cookie, body: { label: 'leaked' } })
  const { key } = created.body as { key: { id: string } }

  const { controls } = payments
  controls.failNext({ hang: true, count: webhooks })
  controls.clearCalls()
  const statuses: number[] = []
  const delivering = Array.from({ length: webhooks }, async (_, index) => {
    const object = { customer: customers[index % customers.length] }
    const answer = await deliver(
      { id: `evt_${index}`, type: 'customer.subscription.updated', data: { object } },
      control
    )
    if (answer.status !== 200) assert.deepEqual(outcomeOf(answer), unavailable)
    statuses.push(answer.status)
  })
  // Eight wait for the provider, a hundred wait for them, and the others are refused.
  while (controls.calls().length < 8 || statuses.length < webhooks - 108) await setImmediate()
  const { status } = await control.call('DELETE', `/api/keys/${key.id}`, { cookie })
  assert.equal(status, 200)
  assert.deepEqual(statuses, Array(webhooks - 108).fill(503), 'every other webhook still waits')
  assert.equal(controls.calls().length, 8)

  controls.clearFailures()
  await Promise.all(delivering)
  assert.deepEqual(statuses.slice(webhooks - 108), Array(108).fill(200))
})
