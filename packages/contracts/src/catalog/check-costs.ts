import type { Catalog } from './catalog.ts'

/** A provider's report of more tokens of prompt, or of output, for one request is not believed. */
export const maxReportedTokens = 1e8

/**
 * The most that one request may be reported to cost, nanodollars (USD 1.1 million): an eighth of what is counted exactly
 * (2^53), so that the sums of a month are exact, too.
 */
const maxCostNanos = 2 ** 50

/** The most that may be reserved for one request, nanodollars (USD 9,007): Redis reckons it in picodollars. */
const maxRequestCapNanos = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/** Adds to `problems` every price and cap with which a cost could not be counted exactly: such a cost would never settle. */
export function checkCosts({ models, plans }: Catalog, problems: string[]): void {
  const maxPicos = Math.floor((maxCostNanos / maxReportedTokens) * 1000)
  for (const [name, { prices }] of Object.entries(models)) {
    const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = 0 } = prices
    if (Math.max(inputPicos, cachedInputPicos) + Math.max(outputPicos, reasoningPicos) > maxPicos) {
      const maxUsd = Math.floor(maxPicos / 1e6)
      problems.push(
        `models.${name}.usd_per_million_tokens: input and output together must be at most ${maxUsd}, ` +
          'or the cost of a request could be too large to be counted exactly'
      )
    }
  }
  for (const [id, { caps }] of Object.entries(plans)) {
    if (caps.requestNanos > maxRequestCapNanos) {
      const maxUsd = Math.floor(maxRequestCapNanos / 1e9)
      problems.push(`plans.${id}.caps_usd.request: must be at most ${maxUsd}, or costs could not be counted exactly`)
    }
  }
}
