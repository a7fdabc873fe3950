import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { maxReportedCalls, maxReportedTokens } from '../catalog/check-costs.ts'
import { countOf, rareCounts, wholes } from '../meters/meters.ts'
import { type ChargeRates, completeRates, dearerRates, priceMembers } from './charge-rates.ts'
import { cost, type PricedUsage, withoutOverlaps } from './cost.ts'
import type { ListedPrices, ModelPrices, PricePeriod } from './model-prices.ts'
import { dearestRates, ratesFor } from './rates-for.ts'

/** Prices up to the catalog's limits: see check-costs.ts. */
const picos = fc.oneof(fc.integer({ min: 0, max: 20_000_000 }), fc.integer({ min: 0, max: 5_000_000_000 }))
const optional = fc.option(picos, { nil: undefined })
const listedPrices = fc
  .record({
    inputPicos: picos,
    cachedInputPicos: picos,
    cacheWritePicos: optional,
    longCacheWritePicos: optional,
    audioInputPicos: optional,
    imageInputPicos: optional,
    outputPicos: picos,
    reasoningPicos: optional,
    audioOutputPicos: optional,
    imageOutputPicos: optional
  })
  .map((listed) => JSON.parse(JSON.stringify(listed)) as ListedPrices)

const tokens = fc.oneof(fc.nat({ max: 1e6 }), fc.nat({ max: maxReportedTokens }))
const usages = fc
  .record({
    promptTokens: tokens,
    cachedTokens: tokens,
    cacheWriteTokens: tokens,
    longCacheWriteTokens: tokens,
    audioInputTokens: tokens,
    imageInputTokens: tokens,
    completionTokens: tokens,
    reasoningTokens: tokens,
    audioOutputTokens: tokens,
    imageOutputTokens: tokens,
    search: fc.nat({ max: 100 }),
    code: fc.nat({ max: 100 }),
    unknownCalls: fc.nat({ max: 3 }),
    isPlain: fc.boolean()
  })
  .map(({ search, code, unknownCalls, isPlain, ...usage }): PricedUsage => {
    const within = (part: number, whole: number) => (isPlain ? 0 : Math.min(part, whole))
    const { promptTokens, completionTokens } = usage
    return {
      promptTokens,
      cachedTokens: Math.min(usage.cachedTokens, promptTokens),
      completionTokens,
      reasoningTokens: Math.min(usage.reasoningTokens, completionTokens),
      rare: rareCounts({
        cacheWriteTokens: within(usage.cacheWriteTokens, promptTokens),
        longCacheWriteTokens: within(usage.longCacheWriteTokens, promptTokens),
        audioInputTokens: within(usage.audioInputTokens, promptTokens),
        imageInputTokens: within(usage.imageInputTokens, promptTokens),
        audioOutputTokens: within(usage.audioOutputTokens, completionTokens),
        imageOutputTokens: within(usage.imageOutputTokens, completionTokens),
        toolCalls: isPlain ? 0 : search + code + unknownCalls
      }),
      calls: isPlain ? null : { search, code }
    }
  })

/** The same in BigInt, one token after the other in groups: the dearest kind takes its tokens first. */
function referenceNanos(usage: PricedUsage, rates: ChargeRates): bigint {
  const side = (whole: number, plain: number, parts: Array<[number, number]>): bigint => {
    const rest = whole - parts.reduce((sum, [count]) => sum + count, 0)
    const all: Array<[number, number]> = [...parts, [Math.max(0, rest), plain]]
    let left = BigInt(whole)
    let sum = 0n
    for (const [count, rate] of all.sort((one, other) => other[1] - one[1])) {
      const taken = BigInt(count) < left ? BigInt(count) : left
      sum += taken * BigInt(rate)
      left -= taken
    }
    assert.equal(left, 0n, 'every token is charged')
    return sum
  }
  const rare = usage.rare ?? {}
  const picosOfTokens =
    side(usage.promptTokens, rates.inputPicos, [
      [usage.cachedTokens, rates.cachedInputPicos],
      [rare.cacheWriteTokens ?? 0, rates.cacheWritePicos],
      [rare.longCacheWriteTokens ?? 0, rates.longCacheWritePicos],
      [rare.audioInputTokens ?? 0, rates.audioInputPicos],
      [rare.imageInputTokens ?? 0, rates.imageInputPicos]
    ]) +
    side(usage.completionTokens, rates.outputPicos, [
      [usage.reasoningTokens, rates.reasoningPicos],
      [rare.audioOutputTokens ?? 0, rates.audioOutputPicos],
      [rare.imageOutputTokens ?? 0, rates.imageOutputPicos]
    ])
  const { search = 0, code = 0 } = usage.calls ?? {}
  const unknown = (rare.toolCalls ?? 0) - search - code
  const calls =
    search * (rates.callNanos.search ?? rates.dearestCallNanos) +
    code * (rates.callNanos.code ?? rates.dearestCallNanos) +
    unknown * rates.dearestCallNanos
  return (picosOfTokens + 999n) / 1000n + BigInt(rates.requestNanos + calls)
}

const fees = fc.record({
  requestNanos: fc.nat({ max: 1e9 }),
  callNanos: fc.record({ search: fc.nat({ max: 1e8 }), file: fc.nat({ max: 1e8 }) })
})

test("a cost is exact up to the catalog's limits, rounded up once, with overlapping parts at the dearest kinds", async () => {
  fc.assert(
    fc.property(usages, listedPrices, fees, (usage, listed, fixed) => {
      const rates = completeRates(listed, fixed)
      const nanos = cost(usage, rates)
      assert.equal(BigInt(nanos), referenceNanos(usage, rates))
      assert.ok(Number.isSafeInteger(nanos))
      const charged = withoutOverlaps(usage, rates)
      assert.equal(cost(charged, rates), nanos, 'what is shown costs as much')
      for (const whole of wholes) {
        const parts = whole.parts.reduce((sum, { counter }) => sum + countOf(charged, counter), 0)
        assert.ok(parts <= countOf(charged, whole.counter), whole.counter)
      }
    }),
    { numRuns: 300 }
  )
})

test('dearer rates never give a lower cost', async () => {
  fc.assert(
    fc.property(usages, listedPrices, listedPrices, (usage, one, other) => {
      const [first, second] = [completeRates(one, {}), completeRates(other, {})]
      assert.ok(cost(usage, dearerRates(first, second)) >= cost(usage, first))
    }),
    { numRuns: 300 }
  )
})

const day = Date.UTC(2026, 10, 20)
const daySeconds = 86_400
const rows = fc
  .tuple(listedPrices, listedPrices, listedPrices, listedPrices, fc.integer({ min: 1, max: 2000 }))
  .map(([standard, long, flex, flexLong, above]) => [
    { tier: 'default', abovePromptTokens: above, prices: long },
    { tier: 'default', abovePromptTokens: 0, prices: standard },
    { tier: 'flex', abovePromptTokens: 0, prices: flex },
    { tier: 'flex', abovePromptTokens: above, prices: flexLong }
  ])
const period = fc
  .record({
    from: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
    days: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    weekdays: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }), { nil: undefined }),
    minutes: fc.option(
      fc.array(
        fc
          .tuple(fc.integer({ min: 0, max: 1380 }), fc.integer({ min: 1, max: 60 }))
          .map(([at, length]) => [at, at + length]),
        { minLength: 1, maxLength: 3 }
      ),
      { nil: undefined }
    ),
    rows
  })
  .map(({ from, days, ...others }) => {
    const first = from === undefined ? undefined : day / 1000 + from * daySeconds
    const until = days === undefined ? undefined : (first ?? day / 1000) + days * daySeconds
    return JSON.parse(JSON.stringify({ ...others, from: first, until })) as PricePeriod
  })
const datedPrices = fc
  .tuple(listedPrices, rows, fc.array(period, { maxLength: 4 }))
  .map(([flat, always, later]): ModelPrices => ({ ...flat, periods: [{ rows: always }, ...later] }))
const times = fc.integer({ min: -4 * 86_400_000, max: 4 * 86_400_000 }).map((ms) => day + ms)

test('the dearest rates of a range cover every tier, length and time in it', async () => {
  fc.assert(
    fc.property(
      datedPrices,
      times,
      fc.nat({ max: 2 * 86_400_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat({ max: 3000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(['default'], ['flex'], ['default', 'flex']),
      (prices, from, lengthMs, share, maxPromptTokens, shareOfPrompt, tiers) => {
        const range = { tiers, maxPromptTokens, from, until: from + lengthMs }
        const dearest = dearestRates(prices, range)
        const at = Math.round(from + lengthMs * share)
        const promptTokens = Math.floor(maxPromptTokens * shareOfPrompt)
        for (const tier of tiers) {
          const rates = ratesFor(prices, { tier, promptTokens, at })
          for (const member of priceMembers) assert.ok(rates[member] <= dearest[member], member)
        }
      }
    ),
    { numRuns: 300 }
  )
})

test('the dearest rates of a single moment and prompt are the rates themselves', async () => {
  fc.assert(
    fc.property(datedPrices, times, fc.constantFrom('default', 'flex'), (prices, at, tier) => {
      const dearest = dearestRates(prices, { tiers: [tier], maxPromptTokens: 0, from: at, until: at })
      assert.deepEqual(dearest, ratesFor(prices, { tier, promptTokens: 0, at }))
    })
  )
})

test('the last period that applies decides, by its days, weekdays and hours in UTC', async () => {
  const only = (picos: number): PricePeriod['rows'] => [
    { tier: 'default', abovePromptTokens: 0, prices: { inputPicos: picos, cachedInputPicos: 0, outputPicos: 0 } }
  ]
  const seconds = (text: string) => Date.parse(text) / 1000
  const prices: ModelPrices = {
    inputPicos: 1,
    cachedInputPicos: 0,
    outputPicos: 0,
    periods: [
      { rows: only(1) },
      { from: seconds('2026-12-01T00:00:00Z'), rows: only(2) },
      {
        weekdays: [1, 2, 3, 4, 5],
        minutes: [
          [60, 240],
          [360, 600]
        ],
        rows: only(3)
      },
      { from: seconds('2026-12-24T00:00:00Z'), until: seconds('2026-12-27T00:00:00Z'), rows: only(4) }
    ]
  }
  const priceAt = (text: string) =>
    ratesFor(prices, { tier: 'default', promptTokens: 1, at: Date.parse(text) }).inputPicos
  assert.deepEqual(
    [
      priceAt('2026-11-30T00:59:59.999Z'),
      priceAt('2026-11-30T01:00:00Z'),
      priceAt('2026-11-30T03:59:59.999Z'),
      priceAt('2026-11-30T04:00:00Z'),
      priceAt('2026-11-30T23:59:59.999Z'),
      priceAt('2026-12-01T00:00:00Z'),
      priceAt('2026-12-05T02:00:00Z'),
      priceAt('2026-12-24T02:00:00Z'),
      priceAt('2026-12-26T23:59:59.999Z'),
      priceAt('2026-12-28T06:00:00Z')
    ],
    [1, 3, 3, 1, 1, 2, 2, 4, 4, 3]
  )
})

test('calls up to the maximum that a provider may report stay exact', async () => {
  const rates = completeRates({ inputPicos: 0, cachedInputPicos: 0, outputPicos: 0 }, { callNanos: { search: 5e10 } })
  const none = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  const calls = { search: maxReportedCalls }
  assert.equal(cost({ ...none, rare: { toolCalls: maxReportedCalls }, calls }, rates), maxReportedCalls * 5e10)
})
