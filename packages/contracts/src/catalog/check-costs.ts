import { type PricedRow, units, wholes } from '../meters/meters.ts'
import type { ListedPrices, ModelPrices } from '../prices/model-prices.ts'
import type { Catalog } from './catalog.ts'
import { listPrices, timesPrices } from './list-prices.ts'

/** If a provider reports more prompt tokens, or more output tokens, for one request, the report is not used. */
export const maxReportedTokens = units.token.most
/** The same for calls of tools. */
export const maxReportedCalls = 1e4

/**
 * The maximum cost that a provider's report may give a request, nanodollars (USD 1.1 million). It is an eighth of the
 * largest exact number (2^53), so monthly sums are exact too.
 */
const maxCostNanos = 2 ** 50

/** The maximum reservation for one request, nanodollars (USD 9,007), because Redis computes it in picodollars. */
const maxRequestCapNanos = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/**
 * Adds to `problems` every price and cap that could make a cost too large to be exact. Such a cost would never settle.
 */
export function checkCosts({ models, plans, priceGroups = {} }: Catalog, problems: string[]): void {
  const most = Math.max(1, ...Object.values(priceGroups))
  for (const [name, model] of Object.entries(models)) {
    checkPrices(model.prices, name, problems)
    for (const [at, { prices }] of model.route.entries()) {
      if (prices !== undefined) checkPrices(prices, `${name}.route.${at}.bills`, problems)
    }
    if (model.retail !== undefined) checkPrices(model.retail, `${name}.retail`, problems)
    if (most > 1) checkPrices(timesPrices(listPrices(model), most), `${name} in a price group`, problems)
  }
  for (const [id, { caps }] of Object.entries(plans)) {
    if (caps.requestNanos > maxRequestCapNanos) {
      const maxUsd = Math.floor(maxRequestCapNanos / 1e9)
      problems.push(`plans.${id}.caps_usd.request: must be at most ${maxUsd}, or costs could be too large to be exact`)
    }
  }
}

function checkPrices(prices: ModelPrices, name: string, problems: string[]): void {
  const { periods = [], requestNanos = 0, callNanos = {} } = prices
  const dearestCall = Math.max(0, ...Object.values(callNanos))
  const otherNanos = requestNanos + dearestCall * maxReportedCalls
  if (otherNanos > maxCostNanos / 2) {
    const maxUsd = Math.floor(maxCostNanos / 2 / maxReportedCalls / 1e9)
    problems.push(
      `models.${name}: usd_per_call must be at most ${maxUsd}, or the cost of a request could be too large to be exact`
    )
    return
  }
  const rows = periods.flatMap((period) => period.rows.map((row) => row.prices))
  const all = [prices, ...rows]
  const unitNanos = Math.max(...all.map(dearestOfUnits))
  if (otherNanos + unitNanos > maxCostNanos / 2) {
    problems.push(`models.${name}: the prices of other units than tokens could give a cost too large to be exact`)
    return
  }
  const maxPicos = Math.floor(((maxCostNanos - otherNanos - unitNanos) / maxReportedTokens) * 1000)
  const dearest = Math.max(...all.map(dearestOfTokens))
  if (dearest > maxPicos) {
    const maxUsd = Math.floor(maxPicos / 1e6)
    problems.push(
      `models.${name}.usd_per_million_tokens: input and output together must be at most ${maxUsd}` +
        `${rows.length === 0 ? '' : ', with every factor'}, or the cost of a request could be too large to be exact`
    )
  }
}

const dearestOf = (listed: ListedPrices, whole: PricedRow): number =>
  Math.max(...[whole, ...whole.parts].map(({ member }) => listed[member] ?? 0))

/** The dearest price of the prompt's tokens and that of the output's tokens. */
const dearestOfTokens = (listed: ListedPrices): number =>
  wholes.reduce((sum, whole) => (whole.unit === 'token' ? sum + dearestOf(listed, whole) : sum), 0)

/** What a provider's report of all other units may cost, nanodollars. */
const dearestOfUnits = (listed: ListedPrices): number =>
  wholes.reduce(
    (sum, whole) => (whole.unit === 'token' ? sum : sum + (dearestOf(listed, whole) * units[whole.unit].most) / 1000),
    0
  )
