import assert from 'node:assert/strict'
import { test } from 'tap'
import { addSubscriber, startTestAccount, type TestAccount } from '../test-account.ts'
import { linkTo, open, type Page, submit } from './test-browser.ts'

const return_url = 'https://app.example.com/billing'
const card = { number: '5555 5555 5555 4444', expiry: '12 / 34', cvc: '123', name: 'Ada' }

async function visit({ stripe }: TestAccount, customer: string): Promise<Page> {
  const { url } = await stripe.billingPortal.sessions.create({ customer, return_url })
  return open(url)
}

test('the first page shows plan, card and invoices with PDFs, and links back', async (t) => {
  const account = await startTestAccount(t)
  const { customer } = await addSubscriber(account)
  const page = await visit(account, customer.id)
  assert.equal(page.status, 200)
  assert.match(page.html, /Pro/)
  assert.match(page.html, /\$20\.00 per month/)
  assert.match(page.html, /Renews on \d+ \w+ \d{4}/)
  assert.match(page.html, /Visa ending in 4242/)
  assert.equal(linkTo(page, 'Return to Tollgate'), return_url)
  const pdf = await fetch(linkTo(page, 'PDF'))
  assert.equal(pdf.headers.get('content-type'), 'application/pdf')
  assert.match(await pdf.text(), /^%PDF-/)
})

test('a link opens the portal once, within five minutes; a visit ends after an hour', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer } = await addSubscriber(account)
  const used = await stripe.billingPortal.sessions.create({ customer: customer.id })
  const page = await open(used.url)
  assert.equal((await open(used.url)).status, 410)
  assert.equal((await open(page.url)).status, 200, 'the visit stays open')
  const late = await stripe.billingPortal.sessions.create({ customer: customer.id })
  controls.advance(300)
  assert.equal((await open(late.url)).status, 410)
  controls.advance(3_600)
  assert.equal((await open(page.url)).status, 410)
  assert.equal((await open(`${account.url}/p/somethingelse`)).status, 410)
})

test('a customer switches the plan and pays the difference', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  const form = await open(linkTo(await visit(account, customer.id), 'Switch plan'))
  assert.match(form.html, /value="price_pro_month"\s+disabled/)
  assert.equal((await submit(form, { price: 'price_none' })).status, 422)
  const page = await submit(form, { price: 'price_team_month' })
  assert.match(page.html, /Team/)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] }), {
    items: { data: [{ price: { id: 'price_team_month' } }] },
    latest_invoice: { status: 'paid', billing_reason: 'subscription_update' }
  })
})

test('a declined card leaves the plan unchanged', async (t) => {
  const account = await startTestAccount(t)
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', '4000000000000341')
  const form = await open(linkTo(await visit(account, customer.id), 'Switch plan'))
  const page = await submit(form, { price: 'price_team_month' })
  assert.equal(page.status, 402)
  assert.match(page.html, /role="alert">Your card was declined/)
  const kept = await account.stripe.subscriptions.retrieve(subscription.id)
  assert.partialDeepStrictEqual(kept.items.data, [{ price: { id: 'price_pro_month' } }])
})

test('a customer cancels at the end of the period, and undoes it', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  const form = await open(linkTo(await visit(account, customer.id), 'Cancel plan'))
  const page = await submit(form, {})
  assert.match(page.html, /Ends on \d+ \w+ \d{4}/)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(subscription.id), {
    status: 'active',
    cancel_at_period_end: true
  })
  assert.match((await submit(page, {})).html, /Renews on/)
  assert.partialDeepStrictEqual(await stripe.subscriptions.retrieve(subscription.id), {
    cancel_at_period_end: false,
    cancel_at: null
  })
})

test('a customer cancels at once', async (t) => {
  const account = await startTestAccount(t)
  const { customer, subscription } = await addSubscriber(account)
  const form = await open(linkTo(await visit(account, customer.id), 'Cancel plan'))
  assert.match((await submit(form, { when: 'now' })).html, /You have no subscription\./)
  assert.equal((await account.stripe.subscriptions.retrieve(subscription.id)).status, 'canceled')
  assert.equal((await submit(form, { when: 'now' })).status, 404, 'a second time')
})

test('a customer changes the card, and the next renewal charges it', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', '4000000000000341')
  const form = await open(linkTo(await visit(account, customer.id), 'Change card'))
  const declined = await submit(form, { ...card, number: '4000 0000 0000 0002' })
  assert.equal(declined.status, 402)
  assert.match(declined.html, /id="number-problem" role="alert"/)
  assert.match((await submit(declined, card)).html, /Mastercard ending in 4444/)
  controls.advance(32 * 86_400)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active')
})

test('a customer sees and changes only their own subscriptions', async (t) => {
  const account = await startTestAccount(t)
  const ada = await addSubscriber(account)
  const bob = await addSubscriber(account)
  const page = await visit(account, ada.customer.id)
  const foreign = `${page.url}/subscriptions/${bob.subscription.id}/cancel`
  assert.equal((await open(foreign)).status, 404)
  assert.equal((await open(foreign, { method: 'POST', body: new URLSearchParams({ when: 'now' }) })).status, 404)
  assert.equal((await account.stripe.subscriptions.retrieve(bob.subscription.id)).status, 'active')
})

test('the portal offers only the changes and prices of its configuration', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, subscription } = await addSubscriber(account)
  const configuration = await stripe.billingPortal.configurations.create({
    business_profile: { headline: 'Your plan at Tollgate' },
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'none',
        products: [{ product: 'prod_pro', prices: ['price_pro_month', 'price_pro_year'] }]
      }
    }
  })
  assert.partialDeepStrictEqual(configuration, {
    object: 'billing_portal.configuration',
    is_default: false,
    active: true
  })
  const session = await stripe.billingPortal.sessions.create({ customer: customer.id, configuration: configuration.id })
  const page = await open(session.url)
  assert.match(page.html, /Your plan at Tollgate/)
  assert.throws(() => linkTo(page, 'Cancel plan'))
  assert.equal((await open(`${page.url}/subscriptions/${subscription.id}/cancel`)).status, 403)
  assert.equal((await open(`${page.url}/card`)).status, 403)
  assert.doesNotMatch(page.html, /Invoices/)
  const form = await open(linkTo(page, 'Switch plan'))
  assert.match(form.html, /price_pro_year/)
  assert.doesNotMatch(form.html, /price_team_month/)
})

test('a session can start with one flow and return when it is done', async (t) => {
  const account = await startTestAccount(t)
  const { customer, subscription } = await addSubscriber(account)
  const session = await account.stripe.billingPortal.sessions.create({
    customer: customer.id,
    flow_data: {
      type: 'subscription_cancel',
      subscription_cancel: { subscription: subscription.id },
      after_completion: { type: 'redirect', redirect: { return_url } }
    }
  })
  const form = await open(session.url)
  assert.match(form.html, /<h1>Cancel plan<\/h1>/)
  assert.equal((await submit(form, {})).location, return_url)
})

test('errors on a page are shown as a page', async (t) => {
  const account = await startTestAccount(t)
  const { customer } = await addSubscriber(account)
  const page = await visit(account, customer.id)
  const broken = await open(`${page.url}/card`, { method: 'POST', body: 'number=%zz' })
  assert.equal(broken.status, 400)
  assert.match(broken.html, /<h1>That did not work<\/h1><p>Invalid percent-encoding/)
})

test('without a saved default, a session needs a configuration', async (t) => {
  const { stripe } = await startTestAccount(t, { hasDefaultPortal: false })
  const { id } = await stripe.customers.create({})
  await assert.rejects(stripe.billingPortal.sessions.create({ customer: id }), {
    type: 'StripeInvalidRequestError',
    message: /^No configuration provided and your test mode default configuration has not been created/
  })
})
