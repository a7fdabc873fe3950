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

/** The cost of a call, and what gave it. */
export interface Price {
  /** Nanodollars (1e-9 USD). */
  costNanos: number
  /** null if the call costs nothing, because it used nothing. */
  rates: ChargeRates | null
  tier: string | null
}

/**
 * Computes the cost of a call, rounded up. The tier is the one that the answer names, or else the dearest that the
 * request allows. If the prices changed during the call, the dearer ones count.
 */
export function priceOf(usage: Usage, { prices, tiers, admittedAt, endedAt }: PricedCall): Price {
  const { promptTokens, completionTokens } = usage
  const price: Price = { costNanos: 0, rates: null, tier: null }
  // A call that used nothing was not served, so it does not cost the price of a request either.
  if (promptTokens === 0 && completionTokens === 0) return price
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
  /** The maximum tokens of its audio and its images. */
  readonly audioTokens: number
  readonly imageTokens: number
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
  { audioTokens, imageTokens, mayWriteToCache, asksForLongWrites }: PromptKinds,
  { inputPicos, cacheWritePicos, longCacheWritePicos, audioInputPicos, imageInputPicos }: ModelPrices
): Pick<Usage, 'audioInputTokens' | 'imageInputTokens' | 'cacheWriteTokens' | 'longCacheWriteTokens'> {
  const audio = audioInputPicos === undefined ? 0 : Math.min(audioTokens, promptTokens)
  const image = imageInputPicos === undefined ? 0 : Math.min(imageTokens, promptTokens - audio)
  const text = promptTokens - audio - image
  const isLong = asksForLongWrites && longCacheWritePicos !== undefined
  const writePicos = isLong ? longCacheWritePicos : cacheWritePicos
  const written = mayWriteToCache && writePicos !== undefined && writePicos > inputPicos ? text : 0
  return {
    audioInputTokens: audio,
    imageInputTokens: image,
    cacheWriteTokens: isLong ? 0 : written,
    longCacheWriteTokens: isLong ? written : 0
  }
}

/** The usage, with cache writes of an unknown time as those that the request asked for. */
export function withWriteTimes(usage: Usage, { asksForLongWrites }: PromptKinds): Usage {
  if (!usage.writesForUnknownTime || !asksForLongWrites) return usage
  const { cacheWriteTokens, longCacheWriteTokens } = usage
  return { ...usage, cacheWriteTokens: 0, longCacheWriteTokens: cacheWriteTokens + longCacheWriteTokens }
}
