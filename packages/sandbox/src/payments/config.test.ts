import assert from 'node:assert/strict'
import { test } from 'tap'
import { loadPaymentsConfig } from './config.ts'

const env = { STRIPE_SECRET_KEY: 'sk_test_config' }

test('the key alone is enough; with a secret, webhooks go to the application', async () => {
  const config = loadPaymentsConfig(env)
  assert.partialDeepStrictEqual(config, { port: 4025, dataDir: '.tollgate/payments', apiKey: env.STRIPE_SECRET_KEY })
  assert.deepEqual(config.products, [])
  assert.equal(config.webhook, null)
  const signed = { ...env, STRIPE_WEBHOOK_SECRET: 'whsec_a, whsec_b', PUBLIC_URL: 'https://app.example.com/' }
  assert.deepEqual(loadPaymentsConfig(signed).webhook, {
    url: 'https://app.example.com/api/billing/webhook',
    secrets: ['whsec_a', 'whsec_b']
  })
  const elsewhere = { ...signed, SANDBOX_PAYMENTS_WEBHOOK_URL: 'http://127.0.0.1:3000/hook' }
  assert.equal(loadPaymentsConfig(elsewhere).webhook?.url, 'http://127.0.0.1:3000/hook')
})

test('the variable can contain the products instead of a file name', async () => {
  const products = [
    { id: 'prod_x', name: 'X', prices: [{ id: 'price_x', unit_amount: 1, currency: 'eur', interval: 'year' }] }
  ]
  assert.deepEqual(
    loadPaymentsConfig({ ...env, SANDBOX_PAYMENTS_PRODUCTS: JSON.stringify(products) }).products,
    products
  )
})

test('an error names the bad variable', async () => {
  for (const [what, variables, name] of [
    ['a missing key', { STRIPE_SECRET_KEY: '' }, 'STRIPE_SECRET_KEY'],
    ['production', { NODE_ENV: 'production' }, 'NODE_ENV'],
    ['an invalid port', { SANDBOX_PAYMENTS_PORT: '70000' }, 'SANDBOX_PAYMENTS_PORT'],
    ['products in invalid JSON', { SANDBOX_PAYMENTS_PRODUCTS: '[{' }, 'SANDBOX_PAYMENTS_PRODUCTS: it is not JSON'],
    ['a missing file', { SANDBOX_PAYMENTS_PRODUCTS: '/none.json' }, 'SANDBOX_PAYMENTS_PRODUCTS: there is no such file'],
    [
      'a price without an amount',
      { SANDBOX_PAYMENTS_PRODUCTS: '[{"id":"p","name":"P","prices":[{"id":"x"}]}]' },
      'SANDBOX_PAYMENTS_PRODUCTS'
    ]
  ] as const) {
    assert.throws(() => loadPaymentsConfig({ ...env, ...variables }), { message: new RegExp(name) }, what)
  }
})
