import { request } from 'node:http'
import Stripe from 'stripe'
import t from 'tap'
import { startTestAccount, testKey } from './test-account.ts'

const keyed = { authorization: `Bearer ${testKey}` }

t.test('every unsupported path answers with a JSON error that names it', async (t) => {
  const { url } = await startTestAccount(t)
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/v1/charges'],
    ['POST', '/v1/payment_intents'],
    ['DELETE', '/v1/products/prod_pro'],
    ['GET', '/v2/core/events'],
    ['GET', '/_sandbox/nothing']
  ] as const) {
    const response = await fetch(`${url}${path}`, { method, headers: keyed })
    t.equal(response.status, 404, path)
    t.match(response.headers.get('request-id'), /^req_/)
    t.match(await response.json(), {
      error: { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path}).` }
    })
  }
  t.equal((await fetch(`${url}/v1/charges`)).status, 401, 'without a key not even that is told')
  const broken = await fetch(`${url}/v1/customers/%zz`, { headers: keyed })
  t.equal(broken.status, 400)
  t.match(await broken.json(), { error: { type: 'invalid_request_error' } })
  const large = await fetch(`${url}/v1/customers`, { method: 'POST', headers: keyed, body: 'x'.repeat(1_100_000) })
  t.equal(large.status, 413)
  t.match(await large.json(), { error: { type: 'invalid_request_error' } })
})

t.test(
  'unknown objects are 404 in the path and 400 in a parameter, with the names that the client expects',
  async (t) => {
    const { stripe } = await startTestAccount(t)
    const missing = { type: 'StripeInvalidRequestError', rawType: 'invalid_request_error', code: 'resource_missing' }
    await t.rejects(stripe.customers.retrieve('cus_none'), {
      ...missing,
      statusCode: 404,
      param: 'id',
      message: "No such customer: 'cus_none'"
    })
    await t.rejects(stripe.subscriptions.cancel('sub_none'), {
      ...missing,
      statusCode: 404,
      message: "No such subscription: 'sub_none'"
    })
    await t.rejects(stripe.events.retrieve('evt_none'), { ...missing, statusCode: 404 })
    const line_items = [{ price: 'price_none', quantity: 1 }]
    const success_url = 'https://app.example.com'
    await t.rejects(stripe.checkout.sessions.create({ mode: 'subscription', line_items, success_url }), {
      ...missing,
      statusCode: 400,
      param: 'line_items[0][price]',
      message: "No such price: 'price_none'"
    })
    await t.rejects(stripe.billingPortal.sessions.create({ customer: 'cus_none' }), {
      ...missing,
      statusCode: 400,
      param: 'customer'
    })
    await t.rejects(stripe.customers.list({ starting_after: 'cus_none' }), {
      ...missing,
      statusCode: 400,
      param: 'starting_after'
    })
  }
)

t.test('another API version is refused, because its fields differ', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  await t.rejects(stripe.customers.list({}, { apiVersion: '2022-11-15' }), {
    statusCode: 400,
    message: /supports API version/
  })
  t.equal((await fetch(`${url}/v1/customers`, { headers: keyed })).status, 200, 'none is fine')
  t.equal(Stripe.API_VERSION, '2026-10-28.endive')
})

t.test('lists page forwards and backwards, newest first, also with the client’s automatic paging', async (t) => {
  const { stripe } = await startTestAccount(t)
  const made: string[] = []
  for (let index = 0; index < 7; index++) made.unshift((await stripe.customers.create({ name: `c${index}` })).id)
  const first = await stripe.customers.list({ limit: 3 })
  t.match(first, { object: 'list', url: '/v1/customers', has_more: true })
  t.same(
    first.data.map(({ id }) => id),
    made.slice(0, 3)
  )
  const last = await stripe.customers.list({ limit: 4, starting_after: made[2] ?? '' })
  t.same(
    last.data.map(({ id }) => id),
    made.slice(3)
  )
  t.equal(last.has_more, false)
  const back = await stripe.customers.list({ limit: 2, ending_before: made[5] ?? '' })
  t.same(
    back.data.map(({ id }) => id),
    made.slice(3, 5)
  )
  t.equal(back.has_more, true)
  const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 })
  t.same(
    all.map(({ id }) => id),
    made
  )
  const tooMany = { message: /^Invalid limit/, statusCode: 400, param: 'limit' }
  await t.rejects(stripe.customers.list({ limit: 101 }), tooMany)
})

t.test('the server listens on 127.0.0.1 only', async (t) => {
  const { port } = await startTestAccount(t)
  const refused = new Promise((resolve) => {
    request({ host: '127.0.0.2', port }, () => resolve('answered'))
      .once('error', (error) => resolve('code' in error ? error.code : error))
      .end()
  })
  t.equal(await refused, 'ECONNREFUSED')
})
