import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { codeOf } from '../testing/call-control.ts'
import { startBilling } from './testing/start-billing.ts'

const day = 86_400

test('billing', async (t) => {
  const billing = await startBilling()
  t.after(() => billing.close())
  const { control, payments, stripe, checkout, portal, invoices, nextCharge, plan, buy, happens, settle } = billing
  const { call, database } = control
  const { controls } = payments

  const auditOf = (accountId: string) =>
    queryRows<{ action: string; detail: Record<string, unknown> }>(
      database.orm,
      sql`
        select action, detail from audit_log where account_id = ${accountId}
        and action in ('plan.changed', 'subscription.changed') order by id`
    )
  const customersOf = async (accountId: string) =>
    (await stripe.customers.list({ limit: 100 })).data.filter(({ metadata }) => metadata.account_id === accountId)
  const planAtProvider = (id: string) => teamOf(control).planAtProvider(id)

  await t.test('an account that never bought anything has a plan, but no portal and no invoices', async () => {
    const user = await control.signUp()
    assert.deepEqual(await plan(user), {
      id: 'free',
      name: 'Free',
      renews_at: null,
      entitlements: ['chat', 'embeddings'],
      past_due: false,
      cancel_at: null,
      price_id: null
    })
    const answer = await portal(user)
    assert.deepEqual([answer.status, codeOf(answer)], [409, 'no_customer'])
    assert.deepEqual((await invoices(user)).body, { invoices: [], has_more: false })
  })

  await t.test('a return from the payment page makes the plan active although every event is lost', async () => {
    const user = await control.signUp()
    const refresh = (cookie: string) => call('POST', '/api/billing/refresh', { cookie })
    const reads = () => controls.calls().filter(({ path }) => path === '/v1/subscriptions').length
    assert.equal((await refresh(user.cookie)).status, 200, 'without a customer, too')
    await buy(user)
    await settle()
    assert.equal((await plan(user)).id, 'free')
    const { status, body } = await refresh(user.cookie)
    assert.deepEqual([status, body], [200, { ok: true }])
    await settle()
    assert.equal((await plan(user)).id, 'pro')

    // Whoever repeats it does not make control ask the provider each time.
    controls.clearCalls()
    for (let call = 0; call < 3; call++) {
      await refresh(user.cookie)
      await settle()
    }
    assert.equal(reads(), 0)
    control.passTime(5000)
    await settle()
    await settle()
    assert.equal(reads(), 1)
  })

  await t.test('everyone can read the plans on sale', async () => {
    const { status, body } = await call('GET', '/api/billing/plans')
    assert.equal(status, 200)
    const { plans } = body as { plans: Array<{ id: string; prices: unknown[] }> }
    assert.deepEqual(
      plans.map(({ id, prices }) => [id, prices.length]),
      [
        ['free', 0],
        ['pro', 2],
        ['team', 2],
        ['enterprise', 0]
      ]
    )
  })

  await t.test('a price that is not on sale is refused without a call to the provider', async () => {
    const user = await control.signUp()
    controls.clearCalls()
    for (const price of ['price_nothing', 'prod_pro', 'pro', 'constructor', ' price_pro_monthly']) {
      const answer = await checkout(user, price)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'unknown_price'], price)
    }
    assert.deepEqual(controls.calls(), [])
  })

  await t.test('a paid checkout sets the bought plan in control, in Redis and at the identity provider', async () => {
    const user = await control.signUp()
    const answer = await checkout(user, 'price_pro_yearly')
    assert.equal(answer.status, 200)
    const session = await billing.sessionOf(answer)
    assert.deepEqual(answer.body, { url: session.url })
    assert.equal(session.success_url, 'http://localhost:3000/dashboard/billing?success=1')
    assert.equal(session.cancel_url, 'http://localhost:3000/dashboard/billing')
    assert.equal(session.client_reference_id, user.id)
    const [customer, ...others] = await customersOf(user.id)
    assert.deepEqual([customer!.email, customer!.name, others], [user.email, user.name, []])

    await happens(() => controls.pay(session.id))
    const details = await plan(user)
    assert.equal(details.id, 'pro')
    assert.equal(details.price_id, 'price_pro_yearly')
    const inAYear = Date.parse(String(details.renews_at)) / 1000 - controls.nowS()
    assert.ok(inAYear > 364 * day && inAYear < 367 * day, String(details.renews_at))
    const { body } = await call('GET', '/api/auth/me', { cookie: user.cookie })
    assert.equal((body as { user: { plan: string } }).user.plan, 'pro')
    assert.equal((await teamOf(control).record(user.id)).plan, 'pro')
    await settle()
    assert.equal(await planAtProvider(user.id), 'pro')
    assert.deepEqual(
      (await auditOf(user.id)).map(({ action, detail }) => [action, detail.from, detail.to]),
      [
        ['plan.changed', 'free', 'pro'],
        ['subscription.changed', null, 'active']
      ]
    )
    // No entry comes twice.
    const again = await checkout(user)
    assert.deepEqual([again.status, codeOf(again)], [409, 'already_subscribed'])
  })

  await t.test('customers switch and cancel the plan in the portal, and it applies until its end', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    const answer = await portal(user)
    assert.equal(answer.status, 200)
    assert.match((answer.body as { url: string }).url, /^http:\/\/127\.0\.0\.1:\d+\//)
    assert.equal(answer.headers['cache-control'], 'no-store')

    const { items } = await stripe.subscriptions.retrieve(subscription)
    const [item] = items.data
    await happens(() =>
      stripe.subscriptions.update(subscription, { items: [{ id: item!.id, price: 'price_team_monthly' }] })
    )
    assert.equal((await plan(user)).id, 'team')
    await happens(() => stripe.subscriptions.update(subscription, { cancel_at_period_end: true }))
    const ending = await plan(user)
    assert.equal(ending.id, 'team')
    assert.equal(ending.renews_at, null)
    assert.ok(Date.parse(String(ending.cancel_at)) > Date.now())
    await happens(() => stripe.subscriptions.update(subscription, { cancel_at_period_end: false }))
    assert.equal((await plan(user)).cancel_at, null)
    await happens(() => stripe.subscriptions.cancel(subscription))
    assert.equal((await plan(user)).id, 'free')
    await settle()
    assert.equal(await planAtProvider(user.id), 'free')
    assert.deepEqual(
      (await auditOf(user.id)).filter(({ action }) => action === 'plan.changed').map(({ detail }) => detail.to),
      ['pro', 'team', 'free']
    )
    // The same customer can buy it again.
    await happens(() => buy(user, 'price_team_yearly'))
    assert.equal((await plan(user)).id, 'team')
    assert.equal((await customersOf(user.id)).length, 1)
  })

  await t.test(
    'a switch opens on the page that confirms it, and returns to the dashboard with the new price',
    async () => {
      const user = await control.signUp()
      await happens(() => buy(user))
      const open = async (price: string) => {
        const { body } = await portal(user, `?price_id=${price}`)
        const page = await fetch((body as { url: string }).url)
        return { url: page.url, text: await page.text() }
      }
      // Another plan, and then the same one with another interval.
      for (const price of ['price_team_monthly', 'price_team_yearly']) {
        const page = await open(price)
        assert.match(page.text, /Confirm your switch/)
        const confirmed = await happens(() =>
          fetch(page.url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ price }) })
        )
        assert.equal(confirmed.status, 303)
        assert.ok(confirmed.headers.get('location')?.endsWith(`/dashboard/billing?changed=${price}`))
        assert.equal((await plan(user)).price_id, price)
      }

      // The provider has nothing to confirm: the portal shows its first page.
      assert.match((await open('price_team_yearly')).text, /Switch plan/)
      const unknown = await portal(user, '?price_id=price_none')
      assert.deepEqual([unknown.status, codeOf(unknown)], [400, 'unknown_price'])
    }
  )

  await t.test('keys above a lower plan’s quota stay, and new ones are refused until there is room', async () => {
    const user = await control.signUp()
    const create = () => call('POST', '/api/keys', { cookie: user.cookie, body: { label: 'one' } })
    const subscription = await happens(() => buy(user))
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      const answer = await create()
      assert.equal(answer.status, 201)
      ids.push((answer.body as { key: { id: string } }).key.id)
    }
    assert.equal(codeOf(await create()), 'key_quota_exceeded')
    await happens(() => stripe.subscriptions.cancel(subscription))
    const { keys } = (await call('GET', '/api/keys', { cookie: user.cookie })).body as { keys: unknown[] }
    assert.equal(keys.length, 5)
    assert.equal(codeOf(await create()), 'key_quota_exceeded')
    for (const id of ids) {
      assert.equal(codeOf(await create()), 'key_quota_exceeded')
      await call('DELETE', `/api/keys/${id}`, { cookie: user.cookie })
    }
    assert.equal((await create()).status, 201)
  })

  await t.test('invoices are listed newest first, with their PDF, page by page', async () => {
    const user = await control.signUp()
    const subscription = await buy(user)
    const items = (await stripe.subscriptions.retrieve(subscription)).items.data
    await stripe.subscriptions.update(subscription, {
      items: [{ id: items[0]!.id, price: 'price_team_monthly' }],
      proration_behavior: 'always_invoice'
    })
    const { status, body } = await invoices(user)
    assert.equal(status, 200)
    const all = (body as { invoices: Array<Record<string, unknown>>; has_more: boolean }).invoices
    assert.equal(all.length, 2)
    const first = all[1]!
    assert.deepEqual(
      { ...first, id: 0, number: 0, created: 0, pdf_url: 0 },
      { id: 0, number: 0, amount: 2000, currency: 'usd', status: 'paid', created: 0, due: null, pdf_url: 0 }
    )
    assert.match(String(first.number), /^[A-Z0-9]+-\d{4}$/)
    assert.ok(Number.isInteger(first.created) && Math.abs(Number(first.created) - controls.nowS()) < 60)
    const pdf = await fetch(String(first.pdf_url))
    assert.equal(pdf.headers.get('content-type'), 'application/pdf')
    assert.match((await pdf.text()).slice(0, 8), /^%PDF-1\.\d/)

    const page = await invoices(user, '?limit=1')
    assert.deepEqual(page.body, { invoices: [all[0]], has_more: true })
    const next = await invoices(user, `?limit=1&starting_after=${all[0]!.id}`)
    assert.deepEqual(next.body, { invoices: [all[1]], has_more: false })
    for (const query of [
      '?limit=0',
      '?limit=101',
      '?starting_after=in_nothing',
      '?surprise=1',
      '?starting_after=../x'
    ]) {
      const answer = await invoices(user, query)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'], query)
    }
    // Another customer's invoice is not found.
    const other = await control.signUp()
    await buy(other)
    assert.equal((await invoices(other, `?starting_after=${all[0]!.id}`)).status, 400)
  })

  await t.test('the owner pays for the team, and its seats get the plan', async () => {
    const { joined } = teamOf(control)
    const owner = await control.signUp()
    const subscription = await happens(() => buy(owner, 'price_team_monthly'))
    const seat = await control.signUp()
    await joined(owner, seat)
    await settle()
    assert.equal(await planAtProvider(seat.id), 'team')
    assert.equal((await plan(seat)).id, 'team')
    for (const answer of [await checkout(seat), await portal(seat), await invoices(seat), await nextCharge(seat)]) {
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'forbidden'])
    }
    await happens(() => stripe.subscriptions.cancel(subscription))
    await settle()
    assert.equal((await plan(seat)).id, 'free')
    assert.equal(await planAtProvider(seat.id), 'free')
    assert.equal(await planAtProvider(owner.id), 'free')
  })

  await t.test('a subscriber cannot join a team, and a subscription bought since applies after leaving', async () => {
    const { accept, invited, joined, remove } = teamOf(control)
    const owner = await control.signUp({ plan: 'team' })
    const payer = await control.signUp()
    const subscription = await happens(() => buy(payer))
    const { token } = await invited(owner, payer)
    assert.equal(codeOf(await accept(payer, token)), 'subscription_active')
    await happens(() => stripe.subscriptions.cancel(subscription))
    assert.equal((await accept(payer, token)).status, 200)

    const late = await control.signUp()
    const session = await billing.sessionOf(await checkout(late))
    await joined(owner, late)
    await happens(() => controls.pay(session.id))
    await settle()
    assert.equal(await planAtProvider(late.id), 'team')
    assert.equal((await teamOf(control).record(late.id)).plan, 'free')
    await remove(late, late.id)
    assert.equal((await plan(late)).id, 'pro')
    await settle()
    assert.equal(await planAtProvider(late.id), 'pro')
  })

  await t.test('everything except the list of plans needs a session', async () => {
    for (const [method, path] of [
      ['GET', '/plan'],
      ['GET', '/portal'],
      ['GET', '/invoices'],
      ['GET', '/next-charge'],
      ['POST', '/checkout'],
      ['POST', '/refresh']
    ] as const) {
      const body = method === 'POST' ? { price_id: 'price_pro_monthly' } : undefined
      assert.equal((await call(method, `/api/billing${path}`, { body })).status, 401, path)
    }
  })
})
