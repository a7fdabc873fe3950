import { type ChargeRates, completeRates, dearerRates } from './charge-rates.ts'
import { type ModelPrices, type PricePeriod, type PriceRow, standardTier } from './model-prices.ts'
import { periodAt, periodsWithin } from './price-periods.ts'

/** What decides the price of a request. */
export interface RateContext {
  /** A tier with a price; another one counts as the standard tier. */
  tier: string
  promptTokens: number
  /** Unix milliseconds. */
  at: number
}

/** Every request that is to be bounded. */
export interface RateRange {
  tiers: readonly string[]
  maxPromptTokens: number
  /** From the earliest time of a request to the latest, Unix milliseconds. */
  from: number
  until: number
}

/** The rates of a model at a time, for a tier and a length of the prompt. Equal contexts get the same object. */
export function ratesFor(prices: ModelPrices, { tier, promptTokens, at }: RateContext): ChargeRates {
  const prepared = prepare(prices)
  if (prepared.periods === null) return prepared.flat
  let rates: ChargeRates | undefined
  for (const step of stepsOf(prepared.periods.get(periodAt(prices.periods!, at))!, tier)) {
    if (promptTokens > step.above) rates = step.rates
  }
  return rates!
}

/** The dearest rate of each kind that can apply to a request of the range. */
export function dearestRates(prices: ModelPrices, range: RateRange): ChargeRates {
  const prepared = prepare(prices)
  if (prepared.periods === null) return prepared.flat
  let dearest: ChargeRates | null = null
  for (const period of periodsWithin(prices.periods!, range.from, range.until)) {
    const steps = prepared.periods.get(period)!
    for (const tier of range.tiers) {
      for (const { above, rates } of stepsOf(steps, tier)) {
        if (above < 0 || range.maxPromptTokens > above) dearest = dearest === null ? rates : dearerRates(dearest, rates)
      }
    }
  }
  return dearest!
}

/** A row of a tier. */
interface Step {
  /** -1 for the first step, which applies to every prompt. */
  above: number
  rates: ChargeRates
}

/** The steps of each tier, in the order of their lengths. */
type Steps = ReadonlyMap<string, readonly Step[]>

interface PreparedPrices {
  flat: ChargeRates
  periods: ReadonlyMap<PricePeriod, Steps> | null
}

/** Prices of a catalog in force are prepared once, as this runs for every request. */
const prepared = new WeakMap<ModelPrices, PreparedPrices>()

function prepare(prices: ModelPrices): PreparedPrices {
  let found = prepared.get(prices)
  if (found === undefined) {
    const { periods } = prices
    const stepsOfPeriod = (period: PricePeriod) => [period, toSteps(period.rows, prices)] as const
    found = {
      flat: completeRates(prices, prices),
      periods: periods === undefined ? null : new Map(periods.map(stepsOfPeriod))
    }
    prepared.set(prices, found)
  }
  return found
}

function toSteps(rows: readonly PriceRow[], prices: ModelPrices): Steps {
  const ordered = [...rows].sort((one, other) => one.abovePromptTokens - other.abovePromptTokens)
  const steps = new Map<string, Step[]>()
  for (const { tier, abovePromptTokens, prices: listed } of ordered) {
    const ofTier = steps.get(tier) ?? []
    ofTier.push({ above: ofTier.length === 0 ? -1 : abovePromptTokens, rates: completeRates(listed, prices) })
    steps.set(tier, ofTier)
  }
  return steps
}

const stepsOf = (steps: Steps, tier: string): readonly Step[] => steps.get(tier) ?? steps.get(standardTier)!
