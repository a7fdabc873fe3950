import { countOf, pricedRows } from '../meters/meters.ts'
import { type ChargeRates, completeRates, dearerRates, priceMembers, type UnpricedKind } from './charge-rates.ts'
import type { PricedUsage } from './cost.ts'
import { hasTierPrice, type ModelPrices, type PricePeriod, type PriceRow, standardTier } from './model-prices.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** The period whose prices apply at a time (Unix milliseconds). */
export function periodAt(periods: readonly PricePeriod[], at: number): PricePeriod {
  for (let index = periods.length - 1; index > 0; index--) if (contains(periods[index]!, at)) return periods[index]!
  return periods[0]!
}

/** All periods whose prices apply at some time of a range, its ends included. */
function periodsWithin(periods: readonly PricePeriod[], from: number, until: number): Iterable<PricePeriod> {
  if (periods.length === 1) return periods
  const times = new Set([from])
  for (const period of periods) for (const time of boundaries(period, from, until)) times.add(time)
  const result = new Set<PricePeriod>()
  for (const time of times) result.add(periodAt(periods, time))
  return result
}

function contains({ from, until, weekdays, minutes }: PricePeriod, at: number): boolean {
  if (from !== undefined && at < from * 1000) return false
  if (until !== undefined && at >= until * 1000) return false
  if (weekdays !== undefined && !weekdays.includes(new Date(at).getUTCDay())) return false
  if (minutes === undefined) return true
  const minute = (at % dayMs) / minuteMs
  return minutes.some(([first, end]) => minute >= first && minute < end)
}

/** The times after `from`, up to `until`, at which a period can begin or end. Within them, no other time matters. */
function boundaries(
  { from: first, until: end, weekdays, minutes }: PricePeriod,
  from: number,
  until: number
): number[] {
  const times = [first, end].flatMap((seconds) => (seconds === undefined ? [] : [seconds * 1000]))
  if (weekdays !== undefined || minutes !== undefined) {
    const ofDay = [0, ...(minutes ?? []).flat()]
    for (let day = from - (from % dayMs); day <= until; day += dayMs) {
      for (const minute of ofDay) times.push(day + minute * minuteMs)
    }
  }
  return times.filter((time) => time > from && time <= until)
}

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

/** Whether a model costs nothing: all of its prices are 0, of every tier, length and time. */
export function isFree(prices: ModelPrices): boolean {
  const { flat, periods } = prepare(prices)
  const ofPeriods = [...(periods?.values() ?? [])].flatMap((steps) => [...steps.values()].flat())
  const all = periods === null ? [flat] : ofPeriods.map(({ rates }) => rates)
  return all.every(
    (rates) => rates.requestNanos === 0 && rates.dearestCallNanos === 0 && priceMembers.every((one) => rates[one] === 0)
  )
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
  let entry = prepared.get(prices)
  if (entry === undefined) {
    const { periods } = prices
    const stepsOfPeriod = (period: PricePeriod) => [period, toSteps(period.rows, prices)] as const
    entry = {
      flat: completeRates(prices, prices),
      periods: periods === undefined ? null : new Map(periods.map(stepsOfPeriod))
    }
    prepared.set(prices, entry)
  }
  return entry
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

/**
 * The kinds of a usage that the model has no price for. They were charged at the dearest price of their side, and a
 * tier at the dearest that the request allows.
 */
export function unpricedKinds(usage: PricedUsage & { tier: string | null }, prices: ModelPrices): UnpricedKind[] {
  const { callNanos = {} } = prices
  const kinds: UnpricedKind[] = pricedRows
    .filter(({ member, otherwise }) => otherwise === 'dearest' && prices[member] === undefined)
    .filter(({ counter }) => countOf(usage, counter) > 0)
    .map(({ kind }) => kind)
  const types = Object.keys(usage.calls ?? {}).filter((type) => usage.calls![type]! > 0)
  const callCount = types.reduce((sum, type) => sum + usage.calls![type]!, 0)
  const toolCalls = usage.rare?.toolCalls ?? 0
  const isUnknown = toolCalls > callCount || types.some((type) => !Object.hasOwn(callNanos, type))
  if (toolCalls > 0 && isUnknown) kinds.push('calls')
  if (usage.tier !== null && !hasTierPrice(prices, usage.tier)) kinds.push('service_tier')
  return kinds
}
