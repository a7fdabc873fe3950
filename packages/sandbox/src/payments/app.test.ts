import assert from 'node:assert/strict'
import { request } from 'node:http'
import Stripe from 'stripe'
import { test } from 'tap'
import { startTestAccount, testKey } from './test-account.ts'

const keyed = { authorization: `Bearer ${testKey}` }

test('every unsupported path answers with a JSON error that names it', async (t) => {
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
    assert.equal(response.status, 404, path)
    assert.match(response.headers.get('request-id') ?? '', /^req_/)
    assert.partialDeepStrictEqual(await response.json(), {
      error: {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${method}: ${path}). The embedded payments server does not support it.`
      }
    })
  }
  assert.equal((await fetch(`${url}/v1/charges`)).status, 401, 'without a key, the error does not name the path')
  const broken = await fetch(`${url}/v1/customers/%zz`, { headers: keyed })
  assert.equal(broken.status, 400)
  assert.partialDeepStrictEqual(await broken.json(), { error: { type: 'invalid_request_error' } })
  const large = await fetch(`${url}/v1/customers`, { method: 'POST', headers: keyed, body: 'x'.repeat(1_100_000) })
  assert.equal(large.status, 413)
  assert.partialDeepStrictEqual(await large.json(), { error: { type: 'invalid_request_error' } })
})

test('unknown objects are 404 in the path and 400 in a parameter, with the names that the client expects', async (t) => {
  const { stripe } = await startTestAccount(t)
  const missing = { type: 'StripeInvalidRequestError', rawType: 'invalid_request_error', code: 'resource_missing' }
  await assert.rejects(stripe.customers.retrieve('cus_none'), {
    ...missing,
    statusCode: 404,
    param: 'id',
    message: "No such customer: 'cus_none'"
  })
  await assert.rejects(stripe.subscriptions.cancel('sub_none'), {
    ...missing,
    statusCode: 404,
    message: "No such subscription: 'sub_none'"
  })
  await assert.rejects(stripe.events.retrieve('evt_none'), { ...missing, statusCode: 404 })
  const line_items = [{ price: 'price_none', quantity: 1 }]
  const success_url = 'https://app.example.com'
  await assert.rejects(stripe.checkout.sessions.create({ mode: 'subscription', line_items, success_url }), {
    ...missing,
    statusCode: 400,
    param: 'line_items[0][price]',
    message: "No such price: 'price_none'"
  })
  await assert.rejects(stripe.billingPortal.sessions.create({ customer: 'cus_none' }), {
    ...missing,
    statusCode: 400,
    param: 'customer'
  })
  await assert.rejects(stripe.customers.list({ starting_after: 'cus_none' }), {
    ...missing,
    statusCode: 400,
    param: 'starting_after'
  })
})

test('another API version is refused, because its fields differ', async (t) => {
  const { stripe, url } = await startTestAccount(t)
  await assert.rejects(stripe.customers.list({}, { apiVersion: '2022-11-15' }), {
    statusCode: 400,
    message: /supports API version/
  })
  assert.equal((await fetch(`${url}/v1/customers`, { headers: keyed })).status, 200, 'the version can be left out')
  assert.equal(Stripe.API_VERSION, '2026-10-28.endive')
})

test('lists page forwards and backwards, newest first, also with the client’s automatic paging', async (t) => {
  const { stripe } = await startTestAccount(t)
  const made: string[] = []
  for (let index = 0; index < 7; index++) made.unshift((await stripe.customers.create({ name: `c${index}` })).id)
  const first = await stripe.customers.list({ limit: 3 })
  assert.partialDeepStrictEqual(first, { object: 'list', url: '/v1/customers', has_more: true })
  assert.deepEqual(
    first.data.map(({ id }) => id),
    made.slice(0, 3)
  )
  const last = await stripe.customers.list({ limit: 4, starting_after: made[2] ?? '' })
  assert.deepEqual(
    last.data.map(({ id }) => id),
    made.slice(3)
  )
  assert.equal(last.has_more, false)
  const back = await stripe.customers.list({ limit: 2, ending_before: made[5] ?? '' })
  assert.deepEqual(
    back.data.map(({ id }) => id),
    made.slice(3, 5)
  )
  assert.equal(back.has_more, true)
  const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 })
  assert.deepEqual(
    all.map(({ id }) => id),
    made
  )
  const tooMany = { message: /^Invalid limit/, statusCode: 400, param: 'limit' }
  await assert.rejects(stripe.customers.list({ limit: 101 }), tooMany)
})

test('the server listens on 127.0.0.1 only', async (t) => {
  const { port } = await startTestAccount(t)
  const refused = new Promise((resolve) => {
    request({ host: '127.0.0.2', port }, () => resolve('answered'))
      .once('error', (error) => resolve('code' in error ? error.code : error))
      .end()
  })
  assert.equal(await refused, 'ECONNREFUSED')
})
