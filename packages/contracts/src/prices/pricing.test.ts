import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { formatPicos } from '../money/usd.ts'
import type { ListedPrices, ModelPrices, PricePeriod } from './model-prices.ts'
import { pricingAt, upcomingPricing } from './pricing.ts'

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`)
const listed = (inputPicos: number): ListedPrices => ({ inputPicos, cachedInputPicos: 0, outputPicos: 600_000 })
const period = (inputPicos: number, times: Omit<PricePeriod, 'rows'> = {}): PricePeriod => ({
  ...times,
  rows: [
    { tier: 'default', abovePromptTokens: 0, prices: listed(inputPicos) },
    { tier: 'default', abovePromptTokens: 200_000, prices: listed(2 * inputPicos) },
    { tier: 'flex', abovePromptTokens: 0, prices: listed(1) }
  ]
})

/** The text times 1e12, without floating-point numbers. */
function picosIn(usd: string): bigint {
  assert.match(usd, /^(0|[1-9]\d*)(\.\d{0,11}[1-9])?$/)
  const [dollars = '', decimals = ''] = usd.split('.')
  return BigInt(dollars) * 10n ** 12n + BigInt(decimals.padEnd(12, '0'))
}

test('a price is written exactly, whatever its size', async () => {
  const cases: ReadonlyArray<readonly [bigint, string]> = [
    [0n, '0'],
    [1n, '0.000000000001'],
    [150_000n, '0.00000015'],
    [10n ** 12n, '1'],
    [12n * 10n ** 12n + 340n * 10n ** 9n, '12.34']
  ]
  for (const [picos, usd] of cases) assert.equal(formatPicos(picos), usd)
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (picos) => picosIn(formatPicos(picos)) === picos))
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.maxSafeNat(), (inputPicos, cacheWritePicos, requestNanos) => {
      const pricing = pricingAt({ ...listed(inputPicos), cacheWritePicos, requestNanos }, 0)
      assert.equal(picosIn(pricing.prompt), BigInt(inputPicos))
      assert.equal(picosIn(pricing.input_cache_write!), BigInt(cacheWritePicos))
      assert.equal(picosIn(pricing.request), BigInt(requestNanos) * 1000n)
    })
  )
})

test('only the kinds that a model prices are named', async () => {
  const basic = { prompt: '0.00000015', input_cache_read: '0', completion: '0.0000006', request: '0' }
  assert.deepEqual(pricingAt(listed(150_000), 0), basic)
  const prices: ModelPrices = {
    ...listed(150_000),
    reasoningPicos: 1,
    longCacheWritePicos: 2,
    audioInputPicos: 3,
    imageInputPicos: 4,
    audioOutputPicos: 5,
    imageOutputPicos: 6,
    callNanos: { web_search: 10_000_000, another: 1 }
  }
  assert.deepEqual(pricingAt(prices, 0), {
    ...basic,
    internal_reasoning: '0.000000000001',
    input_cache_write_1h: '0.000000000002',
    audio: '0.000000000003',
    image_token: '0.000000000004',
    audio_output: '0.000000000005',
    image_output: '0.000000000006',
    web_search: '0.01'
  })
})

test('dated prices count from their day on, and are announced before', async () => {
  const prices: ModelPrices = {
    ...listed(100),
    periods: [
      period(100),
      period(50, { until: day('2027-02-01') / 1000 }),
      period(200, { from: day('2027-03-01') / 1000 }),
      // It changes nothing.
      period(200, { from: day('2027-04-01') / 1000 }),
      period(900, { minutes: [[0, 60]] })
    ]
  }
  const promptAt = (at: number) => picosIn(pricingAt(prices, at).prompt)
  const announced = (now: number) => upcomingPricing(prices, now).map(({ from, pricing }) => [from, pricing.prompt])
  const noon = day('2027-01-10') + 12 * 3_600_000
  assert.deepEqual([promptAt(noon), promptAt(day('2027-01-10')), promptAt(day('2027-02-01') - 1)], [50n, 900n, 50n])
  const [back, up] = [
    ['2027-02-01T00:00:00.000Z', '0.0000000001'],
    ['2027-03-01T00:00:00.000Z', '0.0000000002']
  ]
  assert.deepEqual(announced(noon), [back, up])
  assert.deepEqual(announced(day('2027-02-01')), [up])
  assert.deepEqual(announced(day('2027-03-01')), [])
  assert.deepEqual(upcomingPricing(listed(100), noon), [])
})
