import assert from 'node:assert/strict'
import { test } from 'tap'
import { startTestAccount, testProducts } from '../test-account.ts'

test('the configured products and prices can be listed and read', async (t) => {
  const { stripe } = await startTestAccount(t)
  assert.deepEqual(
    (await stripe.products.list()).data.map(({ id }) => id),
    ['prod_team', 'prod_pro']
  )
  const price = await stripe.prices.retrieve('price_pro_month', { expand: ['product'] })
  assert.partialDeepStrictEqual(price, {
    object: 'price',
    active: true,
    type: 'recurring',
    unit_amount: 2_000,
    currency: 'usd',
    recurring: { interval: 'month', interval_count: 1 },
    product: { id: 'prod_pro', name: 'Pro' }
  })
  assert.equal(price.unit_amount_decimal?.toString(), '2000', 'the client converts it to a decimal')
  assert.deepEqual(
    (await stripe.prices.list({ product: 'prod_pro' })).data.map(({ id }) => id),
    ['price_pro_year', 'price_pro_month']
  )
  assert.equal((await stripe.prices.list({ recurring: { interval: 'year' } })).data.length, 1)
})

test('products and prices can be created, changed and deactivated', async (t) => {
  const { stripe } = await startTestAccount(t)
  const product = await stripe.products.create({ name: 'Seat', metadata: { plan: 'seat' } })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'EUR',
    unit_amount: 900,
    recurring: { interval: 'week', interval_count: 2 },
    lookup_key: 'seat'
  })
  assert.partialDeepStrictEqual(price, { currency: 'eur', recurring: { interval: 'week', interval_count: 2 } })
  assert.partialDeepStrictEqual((await stripe.prices.list({ lookup_keys: ['seat'] })).data, [{ id: price.id }])
  assert.partialDeepStrictEqual(await stripe.prices.update(price.id, { active: false }), { active: false })
  assert.equal((await stripe.prices.list({ active: true, currency: 'eur' })).data.length, 0)
  assert.partialDeepStrictEqual(await stripe.products.update(product.id, { name: 'Chair' }), {
    name: 'Chair',
    metadata: { plan: 'seat' }
  })
  const line_items = [{ price: price.id, quantity: 1 }]
  const success_url = 'https://app.example.com'
  await assert.rejects(stripe.checkout.sessions.create({ mode: 'subscription', line_items, success_url }), {
    message: /inactive/,
    param: 'line_items[0][price]'
  })
  const once = await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 5 })
  await assert.rejects(
    stripe.subscriptions.create({ customer: (await stripe.customers.create({})).id, items: [{ price: once.id }] }),
    {
      message: /one_time/,
      param: 'items[0][price]'
    }
  )
  await assert.rejects(stripe.prices.create({ product: 'prod_none', currency: 'eur', unit_amount: 5 }), {
    code: 'resource_missing'
  })
  await assert.rejects(stripe.products.create({ id: 'prod_pro', name: 'Pro' }), { code: 'resource_already_exists' })
})

test('the next start applies changed products and prices; existing prices stay', async (t) => {
  const dataDir = t.testdir()
  const first = await startTestAccount(t, { dataDir })
  await first.close()
  const [pro] = testProducts
  const prices = [{ ...pro.prices[0], unit_amount: 2_500 }]
  const second = await startTestAccount(t, { dataDir, products: [{ ...pro, name: 'Professional', prices }] })
  assert.equal((await second.stripe.prices.retrieve('price_pro_month')).unit_amount, 2_500)
  assert.equal((await second.stripe.products.retrieve('prod_pro')).name, 'Professional')
  assert.equal((await second.stripe.prices.retrieve('price_team_month')).unit_amount, 6_000)
})
