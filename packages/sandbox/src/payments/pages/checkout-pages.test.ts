import t from 'tap'
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

t.test('a customer pays and returns to the application', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  const session = await start(account, customer.id)
  const page = await open(session.url ?? '')
  t.equal(page.status, 200)
  t.match(page.html, '$20.00')
  t.match(page.html, 'Subscribe to Pro')
  t.match(page.html, 'href="https://app.example.com/plans?from=&quot;checkout&quot;"')
  const done = await submit(page, card)
  t.equal(done.status, 303)
  t.equal(done.location, `https://app.example.com/done?session=${session.id}`)
  t.match(await stripe.checkout.sessions.retrieve(session.id), {
    status: 'complete',
    payment_status: 'paid',
    customer: customer.id,
    customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' }
  })
  t.match((await stripe.subscriptions.list({ customer: customer.id })).data, [{ status: 'active' }])
})

t.test('paying without a customer creates one', async (t) => {
  const account = await startTestAccount(t)
  const session = await start(account)
  const page = await open(session.url ?? '')
  const wrong = await submit(page, { ...card, email: 'nobody' })
  t.equal(wrong.status, 422)
  t.match(wrong.html, /id="email-problem" role="alert"/)
  t.equal((await submit(page, { ...card, email: 'eve@example.com' })).status, 303)
  t.match((await account.stripe.customers.list({ email: 'eve@example.com' })).data, [{ name: 'Ada Lovelace' }])
})

for (const [what, changes, field] of [
  ['a declined card', { number: '4000 0000 0000 0002' }, 'number'],
  ['a mistyped number', { number: '4242 4242 4242 4243' }, 'number'],
  ['a date in the past', { expiry: '01 / 20' }, 'expiry'],
  ['a missing code', { cvc: '' }, 'cvc'],
  ['a missing name', { name: '' }, 'name']
] as const) {
  t.test(`${what} is shown at its field, changes nothing, and the next attempt succeeds`, async (t) => {
    const account = await startTestAccount(t)
    const { stripe, controls } = account
    const session = await start(account)
    const events = controls.events().length
    const page = await submit(await open(session.url ?? ''), { ...card, email: 'ada@example.com', ...changes })
    t.ok(page.status === 402 || page.status === 422)
    t.match(page.html, new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-problem"`))
    t.match(page.html, new RegExp(`id="${field}-problem" role="alert">[^<]+<`))
    t.match(page.html, 'value="ada@example.com"', 'what was filled in is still there')
    t.notMatch(page.html, 'value="123"', 'but the security code')
    t.equal(controls.events().length, events)
    t.equal((await stripe.checkout.sessions.retrieve(session.id)).status, 'open')
    t.equal((await submit(page, { ...card, email: 'ada@example.com' })).status, 303)
  })
}

t.test('a second click does not pay again', async (t) => {
  const account = await startTestAccount(t)
  const customer = await account.stripe.customers.create({ email: 'ada@example.com' })
  const session = await start(account, customer.id)
  const page = await open(session.url ?? '')
  const answers = await Promise.all([submit(page, card), submit(page, card)])
  t.same(
    answers.map(({ location }) => location),
    Array(2).fill(`https://app.example.com/done?session=${session.id}`)
  )
  t.equal((await account.stripe.subscriptions.list({ customer: customer.id })).data.length, 1)
  t.match((await open(page.url)).html, 'has been paid')
})

t.test('an expired or unknown checkout shows an error page', async (t) => {
  const account = await startTestAccount(t)
  const session = await start(account)
  await account.stripe.checkout.sessions.expire(session.id)
  t.equal((await open(session.url ?? '')).status, 410)
  t.equal((await open(session.url ?? '', { method: 'POST', body: new URLSearchParams(card) })).status, 410)
  t.equal((await open(`${account.url}/c/pay/cs_test_none`)).status, 404)
})

t.test('names from the API cannot inject HTML', async (t) => {
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
  t.match(response.headers.get('content-security-policy'), "default-src 'none'")
  const html = await response.text()
  t.notMatch(html, '<script')
  t.notMatch(html, '<img')
  t.match(html, '¥500', 'a currency without cents')
})
