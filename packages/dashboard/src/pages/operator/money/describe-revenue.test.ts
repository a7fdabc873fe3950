import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeProfit, describeRevenue, revenueUsd } from './describe-revenue.ts'

const mixed = [
  { currency: 'usd', amount: 4000 },
  { currency: 'jpy', amount: 500 }
]

test('revenue names each currency, and is never converted', async () => {
  assert.equal(describeRevenue(mixed), '$40.00 and ¥500')
  assert.equal(describeRevenue([]), '$0.00')
  assert.equal(revenueUsd(mixed), 40)
})

test('a margin that is not known is not shown as zero', async () => {
  assert.deepEqual(
    [describeProfit(null), describeProfit('-12.345000000'), describeProfit('0.00')],
    ['Not known', '-$12.35', '$0.00']
  )
})
