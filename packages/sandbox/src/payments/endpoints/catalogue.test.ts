import t from 'tap'
import { startTestAccount, testProducts } from '../test-account.ts'

t.test('the configured products and prices can be listed and read', async (t) => {
  const { stripe } = await startTestAccount(t)
  t.same(
    (await stripe.products.list()).data.map(({ id }) => id),
    ['prod_team', 'prod_pro']
  )
  const price = await stripe.prices.retrieve('price_pro_month', { expand: ['product'] })
  t.match(price, {
    object: 'price',
    active: true,
    type: 'recurring',
    unit_amount: 2_000,
    currency: 'usd',
    recurring: { interval: 'month', interval_count: 1 },
    product: { id: 'prod_pro', name: 'Pro' }
  })
  t.equal(price.unit_amount_decimal?.toString(), '2000', 'the client makes a decimal of it')
  t.same(
    (await stripe.prices.list({ product: 'prod_pro' })).data.map(({ id }) => id),
    ['price_pro_year', 'price_pro_month']
  )
  t.equal((await stripe.prices.list({ recurring: { interval: 'year' } })).data.length, 1)
})

t.test('products and prices can be created, changed and deactivated', async (t) => {
  const { stripe } = await startTestAccount(t)
  const product = await stripe.products.create({ name: 'Seat', metadata: { plan: 'seat' } })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'EUR',
    unit_amount: 900,
    recurring: { interval: 'week', interval_count: 2 },
    lookup_key: 'seat'
  })
  t.match(price, { currency: 'eur', recurring: { interval: 'week', interval_count: 2 } })
  t.match((await stripe.prices.list({ lookup_keys: ['seat'] })).data, [{ id: price.id }])
  t.match(await stripe.prices.update(price.id, { active: false }), { active: false })
  t.equal((await stripe.prices.list({ active: true, currency: 'eur' })).data.length, 0)
  t.match(await stripe.products.update(product.id, { name: 'Chair' }), { name: 'Chair', metadata: { plan: 'seat' } })
  const line_items = [{ price: price.id, quantity: 1 }]
  const success_url = 'https://app.example.com'
  await t.rejects(stripe.checkout.sessions.create({ mode: 'subscription', line_items, success_url }), {
    message: /inactive/,
    param: 'line_items[0][price]'
  })
  const once = await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 5 })
  await t.rejects(
    stripe.subscriptions.create({ customer: (await stripe.customers.create({})).id, items: [{ price: once.id }] }),
    {
      message: /one_time/,
      param: 'items[0][price]'
    }
  )
  await t.rejects(stripe.prices.create({ product: 'prod_none', currency: 'eur', unit_amount: 5 }), {
    code: 'resource_missing'
  })
  await t.rejects(stripe.products.create({ id: 'prod_pro', name: 'Pro' }), { code: 'resource_already_exists' })
})

t.test('the next start applies a changed catalogue; existing subscriptions keep their price', async (t) => {
  const dataDir = t.testdir()
  const first = await startTestAccount(t, { dataDir })
  await first.close()
  const [pro] = testProducts
  const prices = [{ ...pro.prices[0], unit_amount: 2_500 }]
  const second = await startTestAccount(t, { dataDir, products: [{ ...pro, name: 'Professional', prices }] })
  t.equal((await second.stripe.prices.retrieve('price_pro_month')).unit_amount, 2_500)
  t.equal((await second.stripe.products.retrieve('prod_pro')).name, 'Professional')
  t.equal((await second.stripe.prices.retrieve('price_team_month')).unit_amount, 6_000)
})
