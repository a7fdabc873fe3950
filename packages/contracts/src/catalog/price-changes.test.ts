import assert from 'node:assert/strict'
import { test } from 'tap'
import { type ListedPrices, type ModelPrices, type PricePeriod, standardTier } from '../prices/model-prices.ts'
import { findPriceChanges } from './price-changes.ts'

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000
const now = Date.parse('2026-12-01T02:00:00Z')
const listed = (inputPicos: number): ListedPrices => ({ inputPicos, cachedInputPicos: 10_000, outputPicos: 500_000 })
const period = (inputPicos: number, flexPicos: number, when: Omit<PricePeriod, 'rows'> = {}): PricePeriod => ({
  ...when,
  rows: [
    { tier: standardTier, abovePromptTokens: 0, prices: listed(inputPicos) },
    { tier: 'flex', abovePromptTokens: 0, prices: listed(flexPicos) }
  ]
})
const told = (prices: ModelPrices) =>
  findPriceChanges(prices, now).map(
    ({ from, prices }) =>
      `${new Date(from).toISOString().slice(0, 10)}: ${prices
        .map(({ tier, name, unit, from_usd, to_usd }) => `${tier} ${name} ${from_usd}-${to_usd} / ${unit}`)
        .join(', ')}`
  )

test('the end of a promotion is a change, as is the beginning of other prices', async () => {
  const promotion = period(50_000, 25_000, { until: seconds('2027-01-01') })
  const later = period(80_000, 50_000, { from: seconds('2027-03-01') })
  assert.deepEqual(told({ ...listed(100_000), periods: [period(100_000, 50_000), promotion, later] }), [
    '2027-01-01: default Input 0.05-0.10 / 1M tokens, flex Input 0.025-0.05 / 1M tokens',
    '2027-03-01: default Input 0.10-0.08 / 1M tokens'
  ])
})

test('prices that stay, past dates and discounts of every night are no changes', async () => {
  const night = { minutes: [[0, 360]] as Array<[number, number]> }
  const same = period(100_000, 50_000, { from: seconds('2027-01-01') })
  const past = period(90_000, 50_000, { until: seconds('2026-11-01') })
  const base = period(100_000, 50_000)
  assert.deepEqual(told({ ...listed(100_000), periods: [base, past, same] }), [])
  assert.deepEqual(told({ ...listed(100_000), periods: [base, period(50_000, 25_000, night)] }), [])
  assert.deepEqual(told(listed(100_000)), [])
})
