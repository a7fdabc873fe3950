import assert from 'node:assert/strict'
import type { AdminMoney } from '@tollgate/contracts/http/admin/money.ts'
import { zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { eq } from 'drizzle-orm'
import { findCustomer, storeCustomer } from '../billing/customers.ts'
import { startBilling } from '../billing/testing/start-billing.ts'
import { adjustments } from '../database/schema/audit.ts'
import { invoices, refunds } from '../database/schema/billing.ts'
import { ledger } from '../database/schema/usage.ts'
import { onDatabase } from '../testing/databases.ts'
import { lastMonths, nameOfMonth } from '../usage/month-spend.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'

const usd = 1_000_000_000
/** More than a double holds exactly in dollars. */
const huge = 4_000_000 * usd + 1
const earned = (charge_usd: string, provider_cost_usd: string, margin_usd: string) => ({
  charge_usd,
  provider_cost_usd,
  margin_usd
})
const marginOf = (costNanos: number) => Math.floor(costNanos / 10)

onDatabase('the money page', async (t, newDatabase) => {
  const billing = await startBilling({ databaseUrl: await newDatabase() })
  t.after(() => billing.close())
  const { control, payments, buy, stripe, settle } = billing
  const { orm } = control.database
  const months = lastMonths(13, control.now())
  const [yearAgo, present, previous] = [months[0]!, months.at(-1)!, months.at(-2)!]
  await addLedgerMonths(orm, ...months)
  const operator = await control.signUpOperator()
  const read = async (query = ''): Promise<AdminMoney> => {
    const { status, body } = await control.call('GET', `/api/admin/money${query}`, { cookie: operator.cookie })
    assert.equal(status, 200, JSON.stringify(body))
    return (body as { money: AdminMoney }).money
  }
  /** @param costNanos what the provider bills; accounts pay a tenth more */
  const use = (accountId: string, model: string, upstream: string, costNanos: number, hour = present) =>
    orm.insert(ledger).values({
      accountId,
      hour,
      run: `run.${upstream}`,
      keyId: 'key_1',
      model,
      upstream,
      revision: 1,
      ...zeroCounts,
      requests: 2,
      costNanos: costNanos + marginOf(costNanos),
      marginNanos: marginOf(costNanos)
    })

  await t.test('before anything happened, everything is zero', async () => {
    const money = await read()
    assert.partialDeepStrictEqual(money, {
      month: nameOfMonth(present),
      ...earned('0.00', '0.00', '0.00'),
      adjustments_usd: '0.00',
      profit_usd: '0.00',
      revenue: [],
      by_model: [],
      by_upstream: [],
      by_plan: [],
      unprofitable: [],
      invoices_read_at: null,
      refunds_read_at: null
    })
    assert.deepEqual(
      money.months.map(({ month }) => month),
      months.slice(1).map(nameOfMonth)
    )
  })

  const payer = await control.signUp()
  const heavy = await control.signUp()
  const gone = await control.signUp()
  const abroad = await control.signUp()
  await buy(payer)
  await settle()
  await control.customerRefresher.refresh(payer.id)
  await use(payer.id, 'small', 'one', 3 * usd)
  await use(heavy.id, 'small', 'two', 7 * usd)
  await use(heavy.id, 'large', 'two', huge)
  await use(gone.id, 'large', '', 2 * usd)
  await use(abroad.id, 'small', 'one', 50 * usd)
  await use(heavy.id, 'small', 'two', usd, previous)
  await use(heavy.id, 'small', 'two', 5 * usd, yearAgo)
  assert.equal((await control.call('DELETE', '/api/auth/me', { cookie: gone.cookie })).status, 200)
  const ofHeavy = { accountId: heavy.id, month: present, reason: 'an outage', actorId: operator.id, at: control.now() }
  await orm.insert(adjustments).values([
    { ...ofHeavy, id: '00000000-0000-4000-8000-000000000001', nanos: -3 * usd },
    { ...ofHeavy, id: '00000000-0000-4000-8000-000000000002', nanos: usd / 2 }
  ])
  // A customer of another business in the same account of the payment provider.
  const stranger = await stripe.customers.create()
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: stranger.id,
    line_items: [{ price: 'price_team_monthly', quantity: 1 }],
    success_url: 'http://localhost:3000/'
  })
  payments.controls.pay(session.id)
  assert.equal(await control.invoiceSweeper.look(), true)

  await t.test('charge, cost, margin and revenue are exact, by model, upstream, day, plan and month', async () => {
    const { months: list, unprofitable, ...money } = await read()
    const revenue = [{ currency: 'usd', amount: 2000 }]
    const all = earned('4400068.200000001', '4000062.000000001', '400006.20')
    assert.deepEqual(money, {
      month: nameOfMonth(present),
      ...all,
      adjustments_usd: '-2.50',
      revenue,
      tax: [],
      refunded: [],
      other_revenue: [],
      profit_usd: '-4000042.000000001',
      by_model: [
        { model: 'large', requests: 4, ...earned('4400002.200000001', '4000002.000000001', '400000.20') },
        { model: 'small', requests: 6, ...earned('66.00', '60.00', '6.00') }
      ],
      by_upstream: [
        { upstream: 'two', requests: 4, ...earned('4400007.700000001', '4000007.000000001', '400000.70') },
        { upstream: 'one', requests: 4, ...earned('58.30', '53.00', '5.30') },
        { upstream: '', requests: 2, ...earned('2.20', '2.00', '0.20') }
      ],
      by_day: [{ day: `${nameOfMonth(present)}-01`, requests: 10, ...all }],
      by_plan: [
        {
          plan: 'free',
          accounts: 3,
          ...earned('4400064.900000001', '4000059.000000001', '400005.90'),
          revenue: [],
          profit_usd: '-4000059.000000001'
        },
        { plan: 'pro', accounts: 1, ...earned('3.30', '3.00', '0.30'), revenue, profit_usd: '17.00' }
      ],
      invoices_read_at: money.invoices_read_at,
      refunds_read_at: money.refunds_read_at
    })
    assert.ok(Date.parse(money.invoices_read_at!) <= control.now().getTime())
    assert.ok(Date.parse(money.refunds_read_at!) <= control.now().getTime())
    assert.deepEqual(
      unprofitable.map(({ account_id, email, charge_usd, provider_cost_usd }) => [
        account_id,
        email,
        charge_usd,
        provider_cost_usd
      ]),
      [
        [heavy.id, heavy.email, '4400007.700000001', '4000007.000000001'],
        [abroad.id, abroad.email, '55.00', '50.00'],
        [gone.id, '', '2.20', '2.00']
      ]
    )
    assert.deepEqual(list.slice(-3), [
      { month: nameOfMonth(months.at(-3)!), ...earned('0.00', '0.00', '0.00'), revenue: [], profit_usd: '0.00' },
      { month: nameOfMonth(previous), ...earned('1.10', '1.00', '0.10'), revenue: [], profit_usd: '-1.00' },
      { month: nameOfMonth(present), ...all, revenue, profit_usd: money.profit_usd }
    ])
  })

  await t.test('an earlier month can be read, also one of more than a year ago', async () => {
    const money = await read(`?month=${nameOfMonth(yearAgo)}`)
    assert.partialDeepStrictEqual(money, { provider_cost_usd: '5.00', adjustments_usd: '0.00', revenue: [] })
    assert.equal(money.months.length, 12)
    assert.equal(money.months.at(-1)!.month, nameOfMonth(present))
  })

  await t.test('invoices stay the account’s when its customer is replaced, and tax is no revenue', async () => {
    const deleted = 'cus_deleted'
    await storeCustomer(orm, heavy.id, deleted, { now: control.now(), replaces: null })
    const taxed = { customerId: deleted, amount: 1190, tax: 190, currency: 'usd', paidAt: control.now() }
    await orm.insert(invoices).values({ id: 'in_taxed', ...taxed })
    const before = await read()
    assert.deepEqual(
      [before.revenue, before.tax],
      [[{ currency: 'usd', amount: 3000 }], [{ currency: 'usd', amount: 190 }]]
    )
    assert.deepEqual(before.by_plan.find(({ plan }) => plan === 'free')?.revenue, [{ currency: 'usd', amount: 1000 }])
    await storeCustomer(orm, heavy.id, 'cus_new', { now: control.now(), replaces: deleted })
    assert.deepEqual(await read(), before)
    await orm.delete(invoices).where(eq(invoices.id, 'in_taxed'))
  })

  await t.test(
    'with revenue in another currency there is no profit, and its accounts are not called unprofitable',
    async () => {
      await storeCustomer(orm, abroad.id, 'cus_abroad', { now: control.now(), replaces: null })
      await orm.insert(invoices).values({
        id: 'in_abroad',
        customerId: 'cus_abroad',
        amount: 1900,
        currency: 'eur',
        paidAt: control.now()
      })
      const money = await read()
      const revenue = [
        { currency: 'eur', amount: 1900 },
        { currency: 'usd', amount: 2000 }
      ]
      assert.partialDeepStrictEqual(money, { revenue, profit_usd: null })
      assert.deepEqual(
        money.by_plan.map(({ plan, profit_usd }) => [plan, profit_usd]),
        [
          ['free', null],
          ['pro', '17.00']
        ]
      )
      assert.deepEqual(
        money.unprofitable.map(({ account_id }) => account_id),
        [heavy.id, gone.id]
      )
      assert.equal(money.months.at(-1)!.profit_usd, null)
    }
  )

  const ofPayer = { customerId: (await findCustomer(orm, payer.id))!.customerId, currency: 'usd' }
  const usdOf = (amounts: AdminMoney['revenue']) =>
    amounts.filter(({ currency }) => currency === 'usd').map(({ amount }) => amount)

  await t.test('an invoice for anything else than a plan is no revenue of plans, and is shown apart', async () => {
    const before = await read()
    await orm
      .insert(invoices)
      .values({ ...ofPayer, id: 'in_other', amount: 700, tax: 100, purpose: 'other', paidAt: control.now() })
    const money = await read()
    assert.deepEqual(money.other_revenue, [{ currency: 'usd', amount: 600 }])
    assert.deepEqual({ ...money, other_revenue: [] }, before)
  })

  await t.test('a refund lowers the revenue of its month, and returns the same share of the tax', async () => {
    const taxed = { ...ofPayer, id: 'in_taxed', amount: 2380, tax: 380, purpose: 'plan' as const, paidAt: previous }
    await orm.insert(invoices).values(taxed)
    const paid = await read()
    const at = control.now()
    await orm.insert(refunds).values([
      { ...ofPayer, id: 're_part', invoiceId: 'in_taxed', amount: 1190, at },
      { ...ofPayer, id: 're_unknown', invoiceId: null, amount: 300, at },
      { ...ofPayer, id: 're_other', invoiceId: 'in_other', amount: 700, at },
      { ...ofPayer, id: 're_stranger', customerId: stranger.id, amount: 2000, at }
    ])
    const money = await read()
    assert.deepEqual(usdOf(money.revenue), [2000 - 1000 - 300])
    assert.deepEqual([money.refunded, money.other_revenue], [[{ currency: 'usd', amount: 2190 }], []])
    const pro = money.by_plan.find(({ plan }) => plan === 'pro')
    assert.partialDeepStrictEqual(pro, { revenue: [{ currency: 'usd', amount: 700 }], profit_usd: '4.00' })
    assert.deepEqual(usdOf(money.months.at(-1)!.revenue), [700])
    assert.deepEqual(money.months.at(-2), paid.months.at(-2))
    assert.deepEqual(usdOf(money.months.at(-2)!.revenue), [2000])
  })

  await t.test('only operators can read it, and only by month', async () => {
    const { cookie } = await control.signUp()
    assert.equal((await control.call('GET', '/api/admin/money', { cookie })).status, 404)
    for (const query of ['?month=2026-13', '?month=2026-1', '?year=2026']) {
      const answer = await control.call('GET', `/api/admin/money${query}`, {
        cookie: operator.cookie
      })
      assert.equal(answer.status, 400, query)
      const words = query.startsWith('?month') ? /^month: must be a month such as 2026-11/ : /^year: unknown member/
      assert.match((answer.body as { error: { message: string } }).error.message, words)
    }
  })
})
