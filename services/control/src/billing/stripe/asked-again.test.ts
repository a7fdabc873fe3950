import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { stripeKey } from '../../testing/control-options.ts'
import { startCatalogPayments } from '../testing/start-billing.ts'
import { createStripePayments } from './stripe-payments.ts'

const buyer = {
  accountId: '4f1f1f0e-6f6b-4b0e-8d3c-0f3b8a1f2c11',
  email: 'ada@example.com',
  name: 'Ada',
  replaces: null
}

test('after a repeated failure of the provider another idempotency key is used', async (t) => {
  const answers = new Map<string, number>()
  let isWell = false
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key'])
    const earlier = answers.get(key)
    const status = earlier ?? (isWell ? 200 : 500)
    answers.set(key, status)
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(earlier !== undefined && { 'idempotent-replayed': 'true' })
    })
    response.end(
      JSON.stringify(status === 200 ? { object: 'customer', id: 'cus_1' } : { error: { type: 'api_error' } })
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  let now = Date.parse('2026-11-21T12:00:30Z')
  const payments = createStripePayments({ secretKey: stripeKey, apiBase: `http://127.0.0.1:${port}`, now: () => now })
  const create = () => payments.createCustomer(buyer, payments.startDeadline())

  await assert.rejects(create(), { code: 'payments_unavailable' })
  isWell = true
  now += 60_000
  assert.equal(await create(), 'cus_1')
  const keys = answers.size
  assert.equal(await create(), 'cus_1', 'repeated with the same values, it returns the same customer')
  assert.equal(answers.size, keys)
})

test('a second call during a slow first one gets the same answer', async (t) => {
  const server = await startCatalogPayments()
  t.after(() => server.close())
  const payments = createStripePayments({ secretKey: stripeKey, apiBase: server.url })
  server.controls.failNext({ method: 'POST', path: '/v1/customers', delay_ms: 1500 })
  const create = () => payments.createCustomer(buyer, payments.startDeadline())
  const [first, second] = await Promise.all([create(), create()])
  assert.equal(first, second)
})

test('a customer whose address the provider refuses is created without it', async (t) => {
  const server = await startCatalogPayments()
  t.after(() => server.close())
  const payments = createStripePayments({ secretKey: stripeKey, apiBase: server.url })
  const create = () => payments.createCustomer({ ...buyer, email: 'ada@intranet' }, payments.startDeadline())
  const customer = await create()
  assert.equal(await create(), customer)
  await payments.assertCustomer(customer, payments.startDeadline())
})
