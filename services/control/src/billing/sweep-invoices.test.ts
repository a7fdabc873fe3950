import assert from 'node:assert/strict'
import { asc } from 'drizzle-orm'
import Stripe from 'stripe'
import { test } from 'tap'
import type { Orm } from '../database/connect.ts'
import { invoiceSweeps, invoices, refunds } from '../database/schema/billing.ts'
import { stripeKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { toPaidInvoice } from './stripe/stripe-objects.ts'
import { createStripePayments } from './stripe/stripe-payments.ts'
import { createInvoiceSweeper, invoicesCreatedFrom } from './sweep-invoices.ts'
import { startBilling, startCatalogPayments } from './testing/start-billing.ts'
import { startReplicas } from './testing/start-replicas.ts'

const now = new Date('2026-11-23T12:00:00Z')
const all = '2025-11-01T00:00:00.000Z'
const copy = (startedAt: string, finishedAt: string | null) => ({
  startedAt: new Date(startedAt),
  finishedAt: finishedAt === null ? null : new Date(finishedAt)
})

test('a copy reads what may have been paid since the last complete copy, and more in a new month', async () => {
  const cases: Array<[last: ReturnType<typeof copy> | null, from: string]> = [
    [null, all],
    [copy('2026-11-23T11:00:00Z', null), all],
    [copy('2026-11-23T11:00:00Z', '2026-11-22T11:00:00Z'), all],
    [copy('2026-10-31T23:00:00Z', '2026-10-31T23:01:00Z'), all],
    [copy('2026-11-23T11:00:00Z', '2026-11-23T11:00:00Z'), '2026-09-14T11:00:00.000Z'],
    [copy('2025-11-23T11:00:00Z', '2025-11-23T11:01:00Z'), all]
  ]
  for (const [last, from] of cases) assert.equal(invoicesCreatedFrom(last, now).toISOString(), from)
})

const daySeconds = 86_400
const hourMs = 3_600_000

const copied = (orm: Orm) => orm.select().from(invoices).orderBy(asc(invoices.id))

/** The rows that the provider's list should give. */
async function expected(stripe: Stripe) {
  const paid = await stripe.invoices.list({ status: 'paid', limit: 100 }).autoPagingToArray({ limit: 10_000 })
  return paid
    .map(({ id, customer, amount_paid, currency, status_transitions }) => ({
      id: id!,
      customerId: customer as string,
      amount: amount_paid,
      tax: 0,
      currency,
      purpose: 'plan' as const,
      paidAt: new Date(status_transitions.paid_at! * 1000)
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Buys a monthly subscription at the provider. */
async function subscribe({ stripe, payments }: Pick<Awaited<ReturnType<typeof startBilling>>, 'stripe' | 'payments'>) {
  const customer = await stripe.customers.create()
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: 'price_pro_monthly', quantity: 1 }],
    success_url: 'http://localhost:3000/'
  })
  return { customer, session, pay: (number?: string) => payments.controls.pay(session.id, number ? { number } : {}) }
}

onDatabase('the copy of paid invoices', async (t, newDatabase) => {
  const billing = await startBilling({ databaseUrl: await newDatabase() })
  t.after(() => billing.close())
  const { control, payments, stripe } = billing
  const { orm } = control.database
  for (let customer = 0; customer < 9; customer++) (await subscribe(billing)).pay()
  for (let month = 0; month < 11; month++) payments.controls.advance(31 * daySeconds)
  control.passTime(11 * 31 * daySeconds * 1000)
  const look = () => control.invoiceSweeper.look()

  await t.test('a copy that fails midway is continued where it stopped', async () => {
    const real = createStripePayments({ secretKey: stripeKey, apiBase: payments.url })
    let pages = 0
    const flaky = createInvoiceSweeper({
      database: control.database,
      payments: {
        ...real,
        async listPaidInvoices(...query) {
          if (++pages > 1) throw new Error('the provider is away')
          return real.listPaidInvoices(...query)
        }
      },
      sharedTime: control.sharedTime,
      log: control.app.log,
      intervalMs: hourMs,
      pauseMs: 0
    })
    await assert.rejects(flaky.look(), /away/)
    const first = await copied(orm)
    assert.equal(first.length, 100)
    payments.controls.clearCalls()
    assert.equal(await look(), true)
    assert.deepEqual(await copied(orm), await expected(stripe))
    assert.ok((await copied(orm)).length > first.length)
    const [continued] = payments.controls.calls()
    assert.match(continued!.params, /created(\[|%5B)lte/)
  })

  await t.test('a repeated copy changes nothing, and none is made before it is due', async () => {
    const before = await copied(orm)
    assert.equal(await look(), false)
    control.passTime(hourMs)
    assert.equal(await look(), true)
    assert.deepEqual(await copied(orm), before)
  })

  await t.test('an invoice that is paid after a copy was made is found by the next', async () => {
    const late = await subscribe(billing)
    // The card works once, and then no more.
    late.pay('4000000000000341')
    payments.controls.advance(32 * daySeconds)
    control.passTime(32 * daySeconds * 1000)
    assert.equal(await look(), true)
    const [open] = (await stripe.invoices.list({ customer: late.customer.id, status: 'open' })).data
    assert.ok(open !== undefined && !(await copied(orm)).some(({ id }) => id === open.id))
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: late.customer.id })
    const [subscription] = (await stripe.subscriptions.list({ customer: late.customer.id })).data
    await stripe.subscriptions.update(subscription!.id, { default_payment_method: card.id })
    await stripe.invoices.pay(open.id!)
    control.passTime(hourMs)
    assert.equal(await look(), true)
    const rows = await copied(orm)
    assert.ok(rows.some(({ id }) => id === open.id))
    assert.deepEqual(rows, await expected(stripe))
  })
})

test('the tax in what was paid is known, also if credit paid a part of the invoice', async (t) => {
  const server = await startCatalogPayments({ taxPercent: 19 })
  t.after(() => server.close())
  const stripe = new Stripe(stripeKey, {
    host: '127.0.0.1',
    port: server.port,
    protocol: 'http' as const,
    telemetry: false
  })
  const { customer, pay } = await subscribe({ stripe, payments: server })
  pay()
  await stripe.customers.update(customer.id, { balance: -1190 })
  server.controls.advance(32 * daySeconds)
  const payments = createStripePayments({ secretKey: stripeKey, apiBase: server.url })
  const all = { from: new Date(0), to: null, after: null }
  const { invoices: paid } = await payments.listPaidInvoices(all, payments.startDeadline())
  assert.deepEqual(
    paid.map(({ amount, tax }) => [amount, tax]),
    [
      [1190, 190],
      [2380, 380]
    ]
  )
})

onDatabase('the copy of refunds', async (t, newDatabase) => {
  const billing = await startBilling({ databaseUrl: await newDatabase() })
  t.after(() => billing.close())
  const { control, payments, stripe, buy } = billing
  const { controls } = payments
  const { orm } = control.database
  const user = await control.signUp()
  await buy(user)
  const stranger = await subscribe(billing)
  stranger.pay()
  const [strange, own] = (await stripe.invoices.list()).data
  const part = controls.refund(own!.id!, 500)
  controls.refund(strange!.id!)
  const look = async () => {
    control.passTime(hourMs)
    assert.equal(await control.invoiceSweeper.look(), true)
  }
  const stored = () =>
    orm.select({ id: refunds.id, amount: refunds.amount, invoice: refunds.invoiceId }).from(refunds).orderBy(refunds.at)
  const readAt = async () => (await orm.select().from(invoiceSweeps))[0]!.refundsReadAt
  const ofPart = { id: part.id, amount: 500, invoice: own!.id }

  await t.test(
    'a key that may not read refunds copies invoices all the same, and refunds count as not read',
    async () => {
      controls.failNext({ method: 'GET', path: '/v1/refunds', status: 403 })
      await look()
      assert.equal((await copied(orm)).length, 2)
      assert.deepEqual([await readAt(), await stored()], [null, []])
    }
  )

  await t.test('refunds of our customers are stored with their invoice, which is asked for once', async () => {
    await look()
    assert.deepEqual(await stored(), [ofPart])
    assert.ok((await readAt()) !== null)
    controls.clearCalls()
    await look()
    assert.ok(!controls.calls().some(({ path }) => path === '/v1/invoice_payments'))
  })

  await t.test('a refund that fails after weeks stops counting', async () => {
    controls.advance(60)
    const rest = controls.refund(own!.id!)
    await look()
    assert.deepEqual(await stored(), [ofPart, { id: rest.id, amount: 1500, invoice: own!.id }])
    controls.advance(60 * daySeconds)
    control.passTime(60 * daySeconds * 1000)
    await look()
    controls.failRefund(rest.id)
    await look()
    assert.deepEqual(await stored(), [ofPart])
  })

  await t.test('a key that loses the right is not taken for one that has read all refunds', async () => {
    controls.failNext({ method: 'GET', path: '/v1/refunds', status: 403 })
    await look()
    assert.equal(await readAt(), null)
  })
})

test('only an invoice of a subscription pays for a plan', async () => {
  const invoice = {
    object: 'invoice' as const,
    id: 'in_1',
    customer: 'cus_1',
    amount_paid: 2000,
    total: 2000,
    currency: 'usd',
    created: 1,
    status_transitions: { paid_at: 1 }
  }
  const cases = [
    ['subscription_create', 'plan'],
    ['subscription_cycle', 'plan'],
    ['subscription', 'plan'],
    ['manual', 'other'],
    ['quote_accept', 'other'],
    [null, 'other']
  ] as const
  for (const [reason, purpose] of cases) {
    assert.equal(toPaidInvoice({ ...invoice, billing_reason: reason })[0]!.purpose, purpose, String(reason))
  }
})

test('two replicas copy each invoice once', async (t) => {
  const replicas = await startReplicas(t)
  if (replicas === null) return
  const { one, two, stripe } = replicas
  for (let customer = 0; customer < 3; customer++) (await subscribe(replicas)).pay()
  const looked = await Promise.all([one.invoiceSweeper.look(), two.invoiceSweeper.look()])
  assert.deepEqual(looked.toSorted(), [false, true])
  assert.deepEqual(await copied(one.database.orm), await expected(stripe))
})
