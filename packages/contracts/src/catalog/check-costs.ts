import type { Catalog } from './catalog.ts'

/** If a provider reports more prompt tokens, or more output tokens, for one request, the report is not used. */
export const maxReportedTokens = 1e8

/**
 * The maximum cost that a provider's report may give a request, nanodollars (USD 1.1 million). It is an eighth of the largest
 * exact number (2^53), so monthly sums are exact too.
 */
const maxCostNanos = 2 ** 50

/** The maximum reservation for one request, nanodollars (USD 9,007), because Redis computes it in picodollars. */
const maxRequestCapNanos = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/** Adds to `problems` every price and cap that could make a cost too large to be exact. Such a cost would never settle. */
export function checkCosts({ models, plans }: Catalog, problems: string[]): void {
  const maxPicos = Math.floor((maxCostNanos / maxReportedTokens) * 1000)
  for (const [name, { prices }] of Object.entries(models)) {
    const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = 0 } = prices
    if (Math.max(inputPicos, cachedInputPicos) + Math.max(outputPicos, reasoningPicos) > maxPicos) {
      const maxUsd = Math.floor(maxPicos / 1e6)
      problems.push(
        `models.${name}.usd_per_million_tokens: input and output together must be at most ${maxUsd}, ` +
          'or the cost of a request could be too large to be exact'
      )
    }
  }
  for (const [id, { caps }] of Object.entries(plans)) {
    if (caps.requestNanos > maxRequestCapNanos) {
      const maxUsd = Math.floor(maxRequestCapNanos / 1e9)
      problems.push(`plans.${id}.caps_usd.request: must be at most ${maxUsd}, or costs could be too large to be exact`)
    }
  }
}
