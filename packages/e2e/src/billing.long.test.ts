import assert from 'node:assert/strict'
import { createClient } from '@supabase/supabase-js'
import type { BillingPlan, Invoice } from '@tollgate/contracts/http/billing.ts'
import { linkTo, open, submit } from '@tollgate/sandbox/payments/pages/test-browser.ts'
import t from 'tap'
import { Person, payByCard } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from './start-test-system.ts'

/** A paid plan applies everywhere within this time. */
const timeoutMs = 5000

let system: TestSystem
t.before(async () => {
  system = await sharedSystem()
})

interface Redirect {
  url: string
}

/** Opens the billing portal. */
async function portal(person: Person) {
  const { body } = await person.call<Redirect>('GET', '/api/billing/portal')
  return open(body.url)
}

/** Cancels in the portal, at once or at the end of the period. */
async function cancel(person: Person, when: 'now' | 'period_end') {
  return submit(await open(linkTo(await portal(person), 'Cancel plan')), { when })
}

const planOf = async (person: Person) =>
  (await person.call<{ plan: BillingPlan }>('GET', '/api/billing/plan')).body.plan

/** Polls until a condition is true or the time is up. @returns milliseconds since `since` */
async function until(isSo: () => Promise<boolean>, since = performance.now()): Promise<number> {
  while (!(await isSo())) {
    if (performance.now() - since > timeoutMs)
      throw new Error(`not true after ${timeoutMs} ms:\n${system.lines.join('\n')}`)
  }
  return performance.now() - since
}

async function planAtProvider({ email }: Person): Promise<unknown> {
  const { identity } = system.addresses
  const { auth } = createClient(identity, system.secrets.serviceRoleKey, { auth: { persistSession: false } })
  const { data } = await auth.admin.listUsers({ perPage: 1000 })
  return data.users.find((user) => user.email === email)?.app_metadata.plan
}

t.test('a customer upgrades from the free plan by card, gets invoices, and cancels', async (t) => {
  const ada = await new Person(system, 'ada').join()
  const { value } = (await ada.createKey('first')).body.key
  const clients = system.addresses.gateways.map((gateway) => openaiClient(gateway, value))
  const outcomes = async () => Promise.all(clients.map((client) => chatOutcome(client, 'gpt-4o')))
  assert.deepEqual(await outcomes(), ['403 model_not_allowed', '403 model_not_allowed'])
  assert.partialDeepStrictEqual(await ada.call('GET', '/api/billing/portal'), {
    status: 409,
    body: { error: { code: 'no_customer' } }
  })

  const declined = await payByCard(ada, 'price_pro_monthly', '4000 0000 0000 0002')
  assert.equal(declined.status, 402)
  assert.equal((await planOf(ada)).id, 'free')

  const paidAt = performance.now()
  const paid = await payByCard(ada, 'price_pro_monthly')
  assert.equal(paid.location, `${system.addresses.control}/dashboard/billing?success=1`)
  const inPlan = await until(async () => (await planOf(ada)).id === 'pro', paidAt)
  const atGateway = await until(async () => (await outcomes()).every((one) => one === '200'), paidAt)
  const inUser = await until(async () => (await ada.me()).body.user.plan === 'pro', paidAt)
  const atProvider = await until(async () => (await planAtProvider(ada)) === 'pro', paidAt)
  const figures = Object.entries({ 'billing/plan': inPlan, gateway: atGateway, me: inUser, app_metadata: atProvider })
  t.comment(`from paying: ${figures.map(([what, ms]) => `${what} ${Math.round(ms)} ms`).join(', ')}`)
  assert.partialDeepStrictEqual(await planOf(ada), {
    name: 'Pro',
    past_due: false,
    cancel_at: null,
    price_id: 'price_pro_monthly'
  })
  assert.ok(Date.parse(String((await planOf(ada)).renews_at)) > Date.now())
  assert.partialDeepStrictEqual(await ada.call('POST', '/api/billing/checkout', { price_id: 'price_team_monthly' }), {
    status: 409,
    body: { error: { code: 'already_subscribed' } }
  })

  for (const label of ['two', 'three', 'four', 'five']) assert.equal((await ada.createKey(label)).status, 201)
  assert.partialDeepStrictEqual(await ada.createKey('six'), {
    status: 403,
    body: { error: { code: 'key_quota_exceeded' } }
  })

  await cancel(ada, 'period_end')
  await until(async () => (await planOf(ada)).cancel_at !== null)
  assert.partialDeepStrictEqual(await planOf(ada), { id: 'pro', renews_at: null })
  assert.deepEqual(await outcomes(), ['200', '200'], 'the paid plan still applies')
  await submit(await portal(ada), {})
  await until(async () => (await planOf(ada)).renews_at !== null)
  const cancelledAt = performance.now()
  await cancel(ada, 'now')
  const refusedMs = await until(
    async () => (await outcomes()).every((one) => one === '403 model_not_allowed'),
    cancelledAt
  )
  t.comment(`from cancellation: gateway ${Math.round(refusedMs)} ms`)
  assert.partialDeepStrictEqual(await planOf(ada), { id: 'free', renews_at: null, cancel_at: null })
  assert.equal((await ada.listKeys()).body.keys.length, 5, 'keys remain')
  assert.deepEqual(
    await Promise.all(clients.map((client) => chatOutcome(client))),
    ['200', '200'],
    'and work within the free plan'
  )
  assert.partialDeepStrictEqual(await ada.createKey('six'), {
    status: 403,
    body: { error: { code: 'key_quota_exceeded' } }
  })

  interface Invoices {
    invoices: Invoice[]
    has_more: boolean
  }
  const { invoices, has_more } = (await ada.call<Invoices>('GET', '/api/billing/invoices')).body
  assert.partialDeepStrictEqual(invoices, [{ amount: 2000, currency: 'usd', status: 'paid' }])
  assert.equal(has_more, false)
  const pdf = await fetch(invoices[0]!.pdf_url!)
  assert.equal(pdf.headers.get('content-type'), 'application/pdf')
  assert.match(await pdf.text(), /^%PDF-/)
})

t.test('the members of a team get the plan of its owner', async (t) => {
  const owner = await new Person(system, 'owner').join()
  await payByCard(owner, 'price_team_yearly')
  await until(async () => (await planOf(owner)).id === 'team')
  const seat = await new Person(system, 'seat').join()
  interface Invited {
    invitation: { link: string }
  }
  const { body } = await owner.call<Invited>('POST', '/api/team/seats', { email: seat.email })
  const { pathname } = new URL(body.invitation.link)
  assert.partialDeepStrictEqual(await seat.call('POST', `/api/team${pathname}/accept`), { status: 200 })
  assert.partialDeepStrictEqual(await planOf(seat), { id: 'team', price_id: 'price_team_yearly' })
  assert.partialDeepStrictEqual(await seat.call('POST', '/api/billing/checkout', { price_id: 'price_pro_monthly' }), {
    status: 403
  })
  const key = (await seat.createKey('of a seat')).body.key.value
  const client = openaiClient(system.addresses.gateways[0]!, key)
  assert.equal(await chatOutcome(client, 'gpt-4o'), '200')
  await until(async () => (await planAtProvider(seat)) === 'team')

  await cancel(owner, 'now')
  await until(async () => (await chatOutcome(client, 'gpt-4o')) === '403 model_not_allowed')
  const atControl = await until(async () => (await seat.me()).body.user.plan === 'free')
  const atProvider = await until(
    async () => (await planAtProvider(seat)) === 'free' && (await planAtProvider(owner)) === 'free'
  )
  t.comment(`from the refusal: me ${Math.round(atControl)} ms, app_metadata ${Math.round(atProvider)} ms`)
})
