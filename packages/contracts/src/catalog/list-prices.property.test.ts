import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type ChargeRates, priceMembers } from '../prices/charge-rates.ts'
import { cost, type PricedUsage } from '../prices/cost.ts'
import type { ListedPrices, ModelPrices } from '../prices/model-prices.ts'
import { ratesFor } from '../prices/rates-for.ts'
import type { Model } from './catalog.ts'
import { chargedPrices, hasRatesOfAdmission, listPrices, priceGroupOf } from './list-prices.ts'
import { findSoldBelowCost } from './sold-below-cost.ts'

const picos = fc.nat({ max: 5_000_000 })
const listed: fc.Arbitrary<ListedPrices> = fc.record(
  { inputPicos: picos, cachedInputPicos: picos, outputPicos: picos, reasoningPicos: picos, cacheWritePicos: picos },
  { requiredKeys: ['inputPicos', 'cachedInputPicos', 'outputPicos'], noNullPrototype: true }
)
const day = 86_400
const now = Date.parse('2026-12-01')
/** Prices with a tier, a longer prompt and another price from tomorrow on. */
const prices: fc.Arbitrary<ModelPrices> = fc
  .record({ today: listed, flex: listed, long: listed, tomorrow: listed, requestNanos: fc.nat({ max: 1e6 }) })
  .map(({ today, flex, long, tomorrow, requestNanos }) => ({
    ...today,
    requestNanos,
    periods: [
      {
        rows: [
          { tier: 'default', abovePromptTokens: 0, prices: today },
          { tier: 'default', abovePromptTokens: 1000, prices: long },
          { tier: 'flex', abovePromptTokens: 0, prices: flex }
        ]
      },
      { from: now / 1000 + day, rows: [{ tier: 'default', abovePromptTokens: 0, prices: tomorrow }] }
    ]
  }))
const contexts = fc.record({
  tier: fc.constantFrom('default', 'flex'),
  promptTokens: fc.constantFrom(0, 1000, 1001),
  at: fc.constantFrom(now, now + day * 1000 - 1, now + day * 1000)
})
/** A decimal as an operator writes it, with the fraction that it means. */
const factors = fc
  .tuple(fc.nat({ max: 5_000_000 }), fc.nat({ max: 6 }))
  .map(([digits, decimals]) => ({
    value: digits / 10 ** decimals,
    digits: BigInt(digits),
    per: 10n ** BigInt(decimals)
  }))
  .filter(({ value, digits, per }) => value <= 1000 && BigInt(Math.round(value * Number(per))) === digits)
const usages: fc.Arbitrary<PricedUsage> = fc
  .record({ promptTokens: fc.nat({ max: 1e6 }), completionTokens: fc.nat({ max: 1e6 }), cached: fc.nat(100) })
  .map(({ cached, ...usage }) => ({
    ...usage,
    cachedTokens: Math.min(cached, usage.promptTokens),
    reasoningTokens: 0,
    rare: null,
    calls: null
  }))

/** The charge by whole numbers alone: each list rate times the factor, rounded up; and their sum, rounded up once. */
function referenceCharge(usage: PricedUsage, list: ChargeRates, digits: bigint, per: bigint): bigint {
  const times = (price: number) => (BigInt(price) * digits + per - 1n) / per
  const rest = BigInt(usage.promptTokens - usage.cachedTokens)
  const picos =
    rest * times(list.inputPicos) +
    BigInt(usage.cachedTokens) * times(list.cachedInputPicos) +
    BigInt(usage.completionTokens) * times(list.outputPicos)
  return times(list.requestNanos) + (picos + 999n) / 1000n
}

test('a charge is the list rate of its tier, length and time, times the factor of the price group, exactly', async () => {
  fc.assert(
    fc.property(
      prices,
      prices,
      fc.boolean(),
      contexts,
      factors,
      usages,
      (cost_, retail, hasRetail, context, factor, usage) => {
        const model = { prices: cost_, ...(hasRetail && { retail }) }
        const group = { name: 'some', multiplier: factor.value }
        const list = ratesFor(listPrices(model), context)
        const charge = cost(usage, ratesFor(chargedPrices(model, group), context))
        assert.equal(BigInt(charge), referenceCharge(usage, list, factor.digits, factor.per))
        assert.equal(chargedPrices(model, group), chargedPrices(model, { ...group }), 'prepared once')
      }
    )
  )
})

test('without retail prices and groups, customers pay the very prices that providers bill', async () => {
  fc.assert(
    fc.property(prices, (billed) => {
      const model = { prices: billed }
      for (const group of [null, { name: 'plain', multiplier: 1 }]) {
        assert.equal(chargedPrices(model, group), billed)
        assert.equal(hasRatesOfAdmission(chargedPrices(model, group), model), false)
      }
    })
  )
})

test('the price group is the account’s, else the plan’s; one that the catalog lacks does not count', async () => {
  const catalog = { priceGroups: { partner: 0.8, retail: 1.2 } }
  assert.deepEqual(priceGroupOf(catalog, 'partner', 'retail'), { name: 'partner', multiplier: 0.8 })
  assert.deepEqual(priceGroupOf(catalog, 'gone', 'retail'), { name: 'retail', multiplier: 1.2 })
  assert.equal(priceGroupOf(catalog, undefined, 'toString'), null)
  assert.equal(priceGroupOf({}, 'partner', undefined), null)
})

test('a model is sold below its cost if and only if a rate of an upstream is above the charged one', async () => {
  const route = (one: ModelPrices | undefined): Model['route'] => [
    { upstream: 'one', model: 'm', priority: 0, weight: 1, ...(one !== undefined && { prices: one }) }
  ]
  const tiers = ['default', 'flex']
  fc.assert(
    fc.property(prices, prices, fc.option(prices, { nil: undefined }), (billed, retail, own) => {
      const model = { prices: billed, retail, route: route(own) } as Model
      const isBelow = [now, now + day * 1000].some((at) =>
        tiers.some((tier) =>
          [0, 1001].some((promptTokens) => {
            const [paid, cost] = [retail, own ?? billed].map((of) => ratesFor(of, { tier, promptTokens, at }))
            return [...priceMembers, 'requestNanos' as const].some((member) => cost![member] > paid![member])
          })
        )
      )
      assert.equal(findSoldBelowCost({ models: { m: model }, plans: {} }, now).length > 0, isBelow)
    })
  )
  const cheap = { inputPicos: 1000, cachedInputPicos: 1000, outputPicos: 4_000_000 }
  const model = { prices: { ...cheap, outputPicos: 5_000_000 }, retail: cheap, route: route(undefined) } as Model
  assert.deepEqual(findSoldBelowCost({ models: { m: model }, plans: {} }, now), [
    'm: one bills more than customers pay. output USD 5.00 instead of 4.00 per 1M'
  ])
})
