import assert from 'node:assert/strict'
import { test } from 'tap'
import { startTestAccount, type TestAccount } from '../test-account.ts'
import { open, submit } from './test-browser.ts'

const card = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123', name: 'Ada Lovelace' }

function start({ stripe }: TestAccount, customer?: string) {
  return stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_pro_month', quantity: 1 }],
    success_url: 'https://app.example.com/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://app.example.com/plans?from="checkout"',
    ...(customer !== undefined && { customer })
  })
}

test('a customer pays and returns to the application', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  const session = await start(account, customer.id)
  const page = await open(session.url ?? '')
  assert.equal(page.status, 200)
  assert.match(page.html, /\$20\.00/)
  assert.match(page.html, /Subscribe to Pro/)
  assert.ok(page.html.includes('href="https://app.example.com/plans?from=&quot;checkout&quot;"'))
  const done = await submit(page, card)
  assert.equal(done.status, 303)
  assert.equal(done.location, `https://app.example.com/done?session=${session.id}`)
  assert.partialDeepStrictEqual(await stripe.checkout.sessions.retrieve(session.id), {
    status: 'complete',
    payment_status: 'paid',
    customer: customer.id,
    customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' }
  })
  assert.partialDeepStrictEqual((await stripe.subscriptions.list({ customer: customer.id })).data, [
    { status: 'active' }
  ])
})

test('paying without a customer creates one', async (t) => {
  const account = await startTestAccount(t)
  const session = await start(account)
  const page = await open(session.url ?? '')
  const wrong = await submit(page, { ...card, email: 'nobody' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.html, /id="email-problem" role="alert"/)
  assert.equal((await submit(page, { ...card, email: 'eve@example.com' })).status, 303)
  assert.partialDeepStrictEqual((await account.stripe.customers.list({ email: 'eve@example.com' })).data, [
    { name: 'Ada Lovelace' }
  ])
})

for (const [what, changes, field] of [
  ['a declined card', { number: '4000 0000 0000 0002' }, 'number'],
  ['a mistyped number', { number: '4242 4242 4242 4243' }, 'number'],
  ['a date in the past', { expiry: '01 / 20' }, 'expiry'],
  ['a missing code', { cvc: '' }, 'cvc'],
  ['a missing name', { name: '' }, 'name']
] as const) {
  test(`${what} is shown at its field, changes nothing, and the next attempt succeeds`, async (t) => {
    const account = await startTestAccount(t)
    const { stripe, controls } = account
    const session = await start(account)
    const events = controls.events().length
    const page = await submit(await open(session.url ?? ''), { ...card, email: 'ada@example.com', ...changes })
    assert.ok(page.status === 402 || page.status === 422)
    assert.match(page.html, new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-problem"`))
    assert.match(page.html, new RegExp(`id="${field}-problem" role="alert">[^<]+<`))
    assert.match(page.html, /value="ada@example\.com"/, 'the form keeps the entered values')
    assert.doesNotMatch(page.html, /value="123"/, 'but not the security code')
    assert.equal(controls.events().length, events)
    assert.equal((await stripe.checkout.sessions.retrieve(session.id)).status, 'open')
    assert.equal((await submit(page, { ...card, email: 'ada@example.com' })).status, 303)
  })
}

test('a second click does not pay again', async (t) => {
  const account = await startTestAccount(t)
  const customer = await account.stripe.customers.create({ email: 'ada@example.com' })
  const session = await start(account, customer.id)
  const page = await open(session.url ?? '')
  const answers = await Promise.all([submit(page, card), submit(page, card)])
  assert.deepEqual(
    answers.map(({ location }) => location),
    Array(2).fill(`https://app.example.com/done?session=${session.id}`)
  )
  assert.equal((await account.stripe.subscriptions.list({ customer: customer.id })).data.length, 1)
  assert.match((await open(page.url)).html, /has been paid/)
})

test('an expired or unknown checkout shows an error page', async (t) => {
  const account = await startTestAccount(t)
  const session = await start(account)
  await account.stripe.checkout.sessions.expire(session.id)
  assert.equal((await open(session.url ?? '')).status, 410)
  assert.equal((await open(session.url ?? '', { method: 'POST', body: new URLSearchParams(card) })).status, 410)
  assert.equal((await open(`${account.url}/c/pay/cs_test_none`)).status, 404)
})

test('names from the API cannot inject HTML', async (t) => {
  const account = await startTestAccount(t, {
    businessName: '<script>alert(1)</script>',
    products: [
      {
        id: 'prod_x',
        name: '<img src=x onerror=alert(1)>',
        prices: [{ id: 'price_pro_month', unit_amount: 500, currency: 'jpy', interval: 'month' }]
      }
    ]
  })
  const session = await start(account)
  const response = await fetch(session.url ?? '')
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const html = await response.text()
  assert.doesNotMatch(html, /<script/)
  assert.doesNotMatch(html, /<img/)
  assert.match(html, /¥500/, 'a currency without cents')
})
