import assert from 'node:assert/strict'
import { rareCounts } from '@tollgate/contracts/meters/meters.ts'
import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { costBound } from '../admission/cost-bound.ts'
import { testCatalog } from '../testing/start-gateway.ts'
import type { TokenBound } from '../tokens/token-bound.ts'
import { noUsage, type Usage, unserved } from '../usage/usage.ts'
import { priceOf } from './price.ts'

const picos = fc.integer({ min: 0, max: 20_000_000 })
const listed = fc.record({
  inputPicos: picos,
  cachedInputPicos: picos,
  cacheWritePicos: picos,
  longCacheWritePicos: picos,
  audioInputPicos: picos,
  imageInputPicos: picos,
  outputPicos: picos,
  reasoningPicos: picos,
  audioOutputPicos: picos,
  imageOutputPicos: picos
})
const now = Date.UTC(2026, 10, 23, 12)
const minuteMs = 60_000
const rows = fc.tuple(listed, listed, listed, listed).map(([standard, long, fast, fastLong]) => [
  { tier: 'default', abovePromptTokens: 0, prices: standard },
  { tier: 'default', abovePromptTokens: 5000, prices: long },
  { tier: 'fast', abovePromptTokens: 0, prices: fast },
  { tier: 'fast', abovePromptTokens: 5000, prices: fastLong }
])
/** Prices that may change within an hour of `now`. */
const prices = fc
  .tuple(listed, rows, rows, fc.integer({ min: -60, max: 60 }), fc.nat({ max: 1e6 }), fc.nat({ max: 1e6 }))
  .map(
    ([flat, first, later, minutes, requestNanos, search]): ModelPrices => ({
      ...flat,
      periods: [{ rows: first }, { from: now / 1000 + minutes * 60, rows: later }],
      requestNanos,
      callNanos: { search }
    })
  )

const share = fc.double({ min: 0, max: 1, noNaN: true })
const bounds = fc.record({
  promptTokens: fc.nat({ max: 10_000 }),
  audio: share,
  image: share,
  answers: fc.integer({ min: 1, max: 3 }),
  wantedTokens: fc.nat({ max: 5000 }),
  isFast: fc.boolean(),
  searches: fc.nat({ max: 5 })
})
const shares = fc.array(share, { minLength: 11, maxLength: 11 })
const tierNames = fc.constantFrom(null, 'default', 'standard', 'fast', 'unknown')

test('a usage within the token bound costs no more than the cost bound, in every tier, at every length, whenever prices change', async () => {
  fc.assert(
    fc.property(bounds, prices, shares, tierNames, fc.nat({ max: 60 }), (of, prices, part, tier, lastedMinutes) => {
      const within = (most: number, index: number) => Math.floor(most * part[index]!)
      const audioTokens = Math.floor(of.promptTokens * of.audio)
      const imageTokens = Math.floor((of.promptTokens - audioTokens) * of.image)
      const others = { audioInputTokens: audioTokens, imageInputTokens: imageTokens }
      const tiers = of.isFast ? ['default', 'fast'] : ['default']
      const { promptTokens: most, answers, wantedTokens } = of
      const calls = { search: of.searches }
      const bound: TokenBound = { promptTokens: most, others, answers, wantedTokens, tiers, calls }
      const promptTokens = within(most, 0)
      const completionTokens = within(answers * wantedTokens, 1)
      const usage: Usage = {
        ...noUsage,
        promptTokens,
        cachedTokens: within(promptTokens, 2),
        completionTokens,
        reasoningTokens: within(completionTokens, 7),
        rare: rareCounts({
          cacheWriteTokens: within(promptTokens, 3),
          longCacheWriteTokens: within(promptTokens, 4),
          audioInputTokens: Math.min(within(audioTokens, 5), promptTokens),
          imageInputTokens: Math.min(within(imageTokens, 6), promptTokens),
          audioOutputTokens: within(completionTokens, 8),
          imageOutputTokens: within(completionTokens, 9),
          toolCalls: within(of.searches, 10)
        }),
        calls: { search: within(of.searches, 10) },
        tier: tier === 'fast' && !of.isFast ? null : tier
      }
      const model = { ...testCatalog.models.small!, prices }
      const { promptPicos, outputPicos } = costBound(bound, model, prices, { from: now, until: now + 60 * minuteMs })
      const maxNanos = Math.ceil((promptPicos + outputPicos * wantedTokens) / 1000)
      const endedAt = now + lastedMinutes * minuteMs
      const cost = priceOf(usage, { prices, tiers, admittedAt: now, endedAt }).costNanos
      assert.ok(cost <= maxNanos, `${cost} > ${maxNanos}`)
    }),
    { numRuns: 3000 }
  )
})

test('cache writes that cannot happen are not reserved', async () => {
  const prices = { inputPicos: 1, cachedInputPicos: 1, cacheWritePicos: 10, longCacheWritePicos: 100, outputPicos: 1 }
  const model = { ...testCatalog.models.small!, prices }
  const bound = { promptTokens: 1, answers: 1, wantedTokens: 1 }
  const time = { from: now, until: now }
  assert.equal(costBound(bound, model, prices, time).promptPicos, 100)
  assert.equal(costBound({ ...bound, cacheWrites: 'short' }, model, prices, time).promptPicos, 10)
  assert.equal(costBound({ ...bound, cacheWrites: 'none' }, model, prices, time).promptPicos, 1)
})

test('a call that was not served costs nothing; one that was costs the price of a request, even without tokens', async () => {
  const prices = { inputPicos: 1, cachedInputPicos: 1, outputPicos: 1, requestNanos: 7000 }
  const call = { prices, tiers: ['default'], admittedAt: now, endedAt: now }
  assert.equal(priceOf(unserved, call).costNanos, 0)
  assert.equal(priceOf(noUsage, call).costNanos, 7000)
  assert.equal(priceOf({ ...noUsage, promptTokens: 1 }, call).costNanos, 7001)
})
