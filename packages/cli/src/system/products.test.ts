import assert from 'node:assert/strict'
import { test } from 'tap'
import { productsOf } from './products.ts'

test('each plan on sale is a product with the catalog’s prices', async () => {
  const products = productsOf({})
  assert.deepEqual(
    products.map(({ id, name }) => [id, name]),
    [
      ['prod_pro', 'Pro'],
      ['prod_team', 'Team']
    ]
  )
  assert.deepEqual(products[0]!.prices, [
    { id: 'price_pro_monthly', unit_amount: 2000, currency: 'usd', interval: 'month' },
    { id: 'price_pro_yearly', unit_amount: 20_000, currency: 'usd', interval: 'year' }
  ])
})

test('the error names a missing catalog', async () => {
  assert.throws(() => productsOf({ CATALOG_FILE: '/nonexistent/catalog.yaml' }), /\/nonexistent\/catalog\.yaml/)
})
