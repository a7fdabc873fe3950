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

/**
 * Computes the cost of a call in nanodollars (1e-9 USD), rounded up. The tier is the one that the answer names, or else the dearest
 * that the request allows. If the prices changed during the call, the dearer ones count.
 */
export function costNanos(usage: Usage, { prices, tiers, admittedAt, endedAt }: PricedCall): number {
  const { promptTokens, completionTokens } = usage
  // A call that used nothing was not served, so it does not cost the price of a request either.
  if (promptTokens === 0 && completionTokens === 0) return 0
  let most = 0
  for (const tier of chargedTiers(prices, usage.tier, tiers)) {
    const begin = ratesFor(prices, { tier, promptTokens, at: admittedAt })
    const end = ratesFor(prices, { tier, promptTokens, at: endedAt })
    most = Math.max(most, cost(usage, begin))
    if (end !== begin) most = Math.max(most, cost(usage, end))
  }
  return most
}
