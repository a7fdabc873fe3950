import assert from 'node:assert/strict'
import { test } from 'tap'
import { type ListedPrices, type ModelPrices, type PricePeriod, standardTier } from '../prices/model-prices.ts'
import { findPriceRises } from './price-rises.ts'

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000
// At night, when a discount may apply.
const now = Date.parse('2026-12-01T02:00:00Z')
const listed = (inputPicos: number, more: Partial<ListedPrices> = {}): ListedPrices => ({
  inputPicos,
  cachedInputPicos: 10_000,
  outputPicos: 500_000,
  ...more
})
const period = (prices: ListedPrices, when: Omit<PricePeriod, 'rows'> = {}): PricePeriod => ({
  ...when,
  rows: [
    { tier: standardTier, abovePromptTokens: 0, prices },
    { tier: 'flex', abovePromptTokens: 0, prices: listed(1) }
  ]
})
const withPeriods = (first: ListedPrices, ...later: PricePeriod[]): ModelPrices => ({
  ...first,
  periods: [period(first), ...later]
})
/** Each day with its dearer prices, in words. */
const told = (prices: ModelPrices) =>
  findPriceRises(prices, now).map(
    ({ from, prices }) =>
      `${new Date(from).toISOString().slice(0, 10)} ${prices
        .map(({ kind, unit, from_usd, to_usd }) => `${kind} ${from_usd}-${to_usd} / ${unit}`)
        .join(', ')}`
  )

test('only kinds that become dearer on a later day are rises', async () => {
  assert.deepEqual(told(listed(100_000)), [])
  const rise = period(listed(150_000, { outputPicos: 400_000 }), { from: seconds('2027-02-01') })
  assert.deepEqual(told(withPeriods(listed(100_000), rise)), ['2027-02-01 input 0.10-0.15 / 1M tokens'])
  const past = period(listed(150_000), { from: seconds('2026-11-01') })
  assert.deepEqual(told(withPeriods(listed(100_000), past)), [])
  const fall = period(listed(90_000), { from: seconds('2027-02-01') })
  assert.deepEqual(told(withPeriods(listed(100_000), fall)), [])
})

test('two rises are told as two dates, and a price that falls after a rise is not told', async () => {
  const at = (day: string, inputPicos: number) => period(listed(inputPicos), { from: seconds(day) })
  const dated = [at('2027-01-01', 200_000), at('2027-02-01', 150_000), at('2027-03-01', 300_000)]
  assert.deepEqual(told(withPeriods(listed(100_000), ...dated)), [
    '2027-01-01 input 0.10-0.20 / 1M tokens',
    '2027-03-01 input 0.20-0.30 / 1M tokens'
  ])
})

test('a discount of the night is compared with later nights', async () => {
  const night = { minutes: [[0, 360]] as Array<[number, number]> }
  const from = seconds('2027-02-01')
  const same = [period(listed(50_000), night), period(listed(100_000), { from }), period(listed(50_000), night)]
  assert.deepEqual(told(withPeriods(listed(100_000), ...same)), [])
  assert.deepEqual(told(withPeriods(listed(100_000), ...same, period(listed(60_000), { ...night, from }))), [
    '2027-02-01 input 0.05-0.06 / 1M tokens'
  ])
})

test('a temporary price that is over on the day does not hide the rise after it', async () => {
  const offer = period(listed(50_000), { until: seconds('2027-02-01') })
  const after = period(listed(100_000), { from: seconds('2027-02-01') })
  assert.deepEqual(told(withPeriods(listed(100_000), offer, after)), ['2027-02-01 input 0.05-0.10 / 1M tokens'])
})

test('kinds without a price of their own are not named, and others are exact', async () => {
  const of = (reasoningPicos: number) => listed(100_000, { reasoningPicos })
  const prices = withPeriods(of(1_000_000), period(of(1_000_001), { from: seconds('2027-02-01') }))
  assert.deepEqual(told(prices), ['2027-02-01 reasoning 1.00-1.000001 / 1M tokens'])
})
