import { type RareCounts, rareCounts, rareRows } from '@tollgate/contracts/meters/meters.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { cost } from '@tollgate/contracts/prices/cost.ts'
import { chargedTiers, type ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import { ratesFor } from '@tollgate/contracts/prices/rates-for.ts'
import type { Usage } from '../usage/usage.ts'

/** What decides the rates of a call, besides its usage. */
export interface PricedCall {
  prices: ModelPrices
  /** The service tiers that the request allows. */
  tiers: readonly string[]
  /** When it was admitted, and when it ended, Unix milliseconds. */
  admittedAt: number
  endedAt: number
}

/** What a call costs by some prices, and what gave it. */
export interface Price {
  /** Nanodollars (1e-9 USD). */
  costNanos: number
  /** null if the call costs nothing, because nothing was served. */
  rates: ChargeRates | null
  tier: string | null
}

/**
 * Computes the cost of a call, rounded up. The tier is the one that the answer names, or else the dearest that the
 * request allows. If the prices changed during the call, the dearer ones count.
 */
export function priceOf(usage: Usage, { prices, tiers, admittedAt, endedAt }: PricedCall): Price {
  const { promptTokens } = usage
  const price: Price = { costNanos: 0, rates: null, tier: null }
  if (!usage.isServed) return price
  const compare = (rates: ChargeRates, tier: string): void => {
    const costNanos = cost(usage, rates)
    if (price.rates !== null && costNanos <= price.costNanos) return
    price.costNanos = costNanos
    price.rates = rates
    price.tier = tier
  }
  for (const tier of chargedTiers(prices, usage.tier, tiers)) {
    const begin = ratesFor(prices, { tier, promptTokens, at: admittedAt })
    const end = ratesFor(prices, { tier, promptTokens, at: endedAt })
    compare(begin, tier)
    if (end !== begin) compare(end, tier)
  }
  return price
}

/** What the prompt of a call may have, besides plain text. */
export interface PromptKinds {
  /** The most of other meters, from its bound. */
  readonly others: RareCounts
  /** Whether the provider may write it into its cache. */
  readonly mayWriteToCache: boolean
  /** Whether the request asks the provider to keep it for the provider's long time. */
  readonly asksForLongWrites: boolean
}

/**
 * Divides a prompt that the provider did not report. Each token counts as the dearest kind that it may be, because a
 * provider bills what it read and wrote into its cache even if the answer breaks off.
 */
export function estimatedPromptKinds(
  promptTokens: number,
  { others, mayWriteToCache, asksForLongWrites }: PromptKinds,
  prices: ModelPrices
): RareCounts {
  const kinds: { -readonly [Counter in keyof RareCounts]: number } = {}
  let text = promptTokens
  for (const { counter, unit, member } of rareRows) {
    const most = others[counter] ?? 0
    if (unit !== 'token') kinds[counter] = most
    else if (prices[member] !== undefined) kinds[counter] = Math.min(most, text)
    if (unit === 'token') text -= kinds[counter] ?? 0
  }
  const { inputPicos, cacheWritePicos, longCacheWritePicos } = prices
  const isLong = asksForLongWrites && longCacheWritePicos !== undefined
  const writePicos = isLong ? longCacheWritePicos : cacheWritePicos
  const written = mayWriteToCache && writePicos !== undefined && writePicos > inputPicos ? text : 0
  return { ...kinds, cacheWriteTokens: isLong ? 0 : written, longCacheWriteTokens: isLong ? written : 0 }
}

/** The usage, with cache writes of an unknown time as those that the request asked for. */
export function withWriteTimes(usage: Usage, { asksForLongWrites }: PromptKinds): Usage {
  if (!usage.writesForUnknownTime || !asksForLongWrites) return usage
  const { cacheWriteTokens = 0, longCacheWriteTokens = 0 } = usage.rare ?? {}
  const rare = { ...usage.rare, cacheWriteTokens: 0, longCacheWriteTokens: cacheWriteTokens + longCacheWriteTokens }
  return { ...usage, rare: rareCounts(rare) }
}
