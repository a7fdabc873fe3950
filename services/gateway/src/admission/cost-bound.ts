import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { pricedRows, rareRows } from '@tollgate/contracts/meters/meters.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { costOfCalls } from '@tollgate/contracts/prices/cost.ts'
import { type ModelPrices, standardOnly } from '@tollgate/contracts/prices/model-prices.ts'
import { dearestRates } from '@tollgate/contracts/prices/rates-for.ts'
import type { Allowances, CostBound, LimitRefusal } from '@tollgate/state/admission/admit.ts'
import type { TokenBound } from '../tokens/token-bound.ts'

/** From the admission of a request to its latest end, Unix milliseconds. */
export interface CallTime {
  from: number
  until: number
}

/**
 * The maximum charge of a request, in the form that the admission script takes. The prompt has the price of the request
 * and of its calls of tools, too. Each kind costs the dearest rate that can apply to a request of this length, in these
 * tiers and at this time. For the rate of tokens, the prompt counts by its estimate.
 */
export function costBound(
  bound: TokenBound,
  { fewestOutputTokens }: Pick<Model, 'fewestOutputTokens'>,
  prices: ModelPrices,
  { from, until }: CallTime
): CostBound {
  const { promptTokens, ratedTokens = promptTokens, others, answers, wantedTokens } = bound
  const { minTokens = 0, tiers = standardOnly, outputs = 1 } = bound
  const rates = dearestRates(prices, { tiers, maxPromptTokens: promptTokens, from, until })
  const text = dearestText(rates, prices, bound.cacheWrites)
  let textTokens = promptTokens
  let promptPicos = 0
  for (const { counter, member, unit } of others === undefined ? [] : rareRows) {
    const count = others![counter] ?? 0
    if (unit === 'token') textTokens -= count
    promptPicos += count * Math.max(unit === 'token' ? text : 0, rates[member])
  }
  promptPicos += Math.max(0, textTokens) * text
  const feeNanos = rates.requestNanos + (bound.calls === undefined ? 0 : costOfCalls(bound.calls, rates))
  return {
    promptPicos: promptPicos + feeNanos * 1000,
    promptTokens: ratedTokens,
    outputPicos: answers * outputs * dearestOutput(rates, prices),
    outputTokens: answers * outputs,
    wantedTokens,
    minTokens: Math.min(Math.max(fewestOutputTokens, minTokens), wantedTokens)
  }
}

function dearestText(rates: ChargeRates, prices: ModelPrices, writes: TokenBound['cacheWrites']): number {
  let most = Math.max(rates.inputPicos, rates.cachedInputPicos)
  if (writes !== 'none' && prices.cacheWritePicos !== undefined) most = Math.max(most, rates.cacheWritePicos)
  if (writes === undefined && prices.longCacheWritePicos !== undefined) most = Math.max(most, rates.longCacheWritePicos)
  return most
}

const outputRows = pricedRows.filter(({ side, unit }) => side === 'output' && unit === 'token')

function dearestOutput(rates: ChargeRates, prices: ModelPrices): number {
  let most = 0
  for (const { member } of outputRows) if (prices[member] !== undefined) most = Math.max(most, rates[member])
  return most
}

/**
 * Lowers the output of a bound to fit into the tokens per minute: larger requests are never admitted.
 *
 * @returns null if even the minimum output does not fit
 */
export function withinRate(bound: CostBound, tokensPerMinute: number): CostBound | null {
  const { promptTokens, outputTokens, wantedTokens, minTokens } = bound
  if (promptTokens + outputTokens * wantedTokens <= tokensPerMinute) return bound
  if (promptTokens + outputTokens * minTokens > tokensPerMinute) return null
  return { ...bound, wantedTokens: Math.floor((tokensPerMinute - promptTokens) / outputTokens) }
}

/** A default output keeps at least this share, perhaps after a wait. A shorter answer would be of little use. */
const minDefaultShare = 1 / 4

/**
 * The output that a request waits for, if the rate of tokens has less left than it wants. The client did not ask for a
 * default, so a part of it suffices. Coding agents ask for the model's maximum and use little of it, so of a client's
 * limit the model's default suffices.
 */
export function leastOutput(
  { wantedTokens, minTokens }: CostBound,
  isDefault: boolean,
  { defaultOutputTokens }: Pick<Model, 'defaultOutputTokens'>
): number {
  const useful = isDefault ? Math.ceil(wantedTokens * minDefaultShare) : defaultOutputTokens
  return Math.min(Math.max(minTokens, useful), wantedTokens)
}

/**
 * Shrinks an output that exceeds the rate of tokens.
 *
 * @param bound of the refused request
 * @param least the output that it waits for
 * @returns the output to ask for instead; or the refusal, with the time until that output fits
 */
export function shrinkOutput(
  { promptTokens, outputTokens, wantedTokens }: CostBound,
  least: number,
  refusal: LimitRefusal,
  { tokens: perMinute, tokenBurst }: Pick<Allowances, 'tokens' | 'tokenBurst'>
): number | LimitRefusal {
  if (least >= wantedTokens) return refusal
  const room = Math.floor((refusal.tokensLeft - promptTokens) / outputTokens)
  if (room >= least) return Math.min(room, wantedTokens)
  // A request above the burst passes once no tokens are owed. A smaller one passes earlier, by the time that its spare
  // tokens take.
  const spare = Math.max(0, tokenBurst - promptTokens - outputTokens * least)
  const waitMs = Math.ceil(Math.max(0, refusal.tokensRestMs - (spare * 60_000) / perMinute))
  return { ...refusal, waitMs: refusal.window === null ? Math.min(refusal.waitMs, waitMs) : refusal.waitMs }
}
