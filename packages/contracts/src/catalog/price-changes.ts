import { pricedRows } from '../meters/meters.ts'
import { type ModelPrices, pricedTiers } from '../prices/model-prices.ts'
import { ratesFor } from '../prices/rates-for.ts'
import { describeUnit, timesOfWeek, usdOfUnit, withoutDays } from './price-rises.ts'

/** A kind of price that changes, in dollars for each unit. */
interface ChangedPrice {
  readonly tier: string
  /** For people, such as `Cached input`. */
  readonly name: string
  /** Such as `1M tokens`. */
  readonly unit: string
  readonly from_usd: string
  readonly to_usd: string
}

/** A time from which some prices differ from those before it. */
export interface PriceChange {
  /** Unix milliseconds. */
  readonly from: number
  /** Those of short prompts, in each tier. */
  readonly prices: readonly ChangedPrice[]
}

/**
 * Finds every time after now at which prices change: up or down, because dated prices begin or end. Prices of a weekday
 * or hour are compared with those of the same weekday and hour, and the largest difference counts.
 *
 * @param prices what the customer pays
 * @param now Unix milliseconds
 */
export function findPriceChanges(prices: ModelPrices, now: number): PriceChange[] {
  const { periods = [] } = prices
  const seconds = periods.flatMap(({ from, until }) => [from, until].filter((time) => time !== undefined))
  const times = [...new Set(seconds)].map((time) => time * 1000).filter((time) => time > now)
  return times
    .toSorted((one, other) => one - other)
    .map((from) => ({ from, prices: changesAt(prices, from) }))
    .filter((change) => change.prices.length > 0)
}

function changesAt(prices: ModelPrices, time: number): ChangedPrice[] {
  const [before, after] = [withoutDays(prices, time - 1), withoutDays(prices, time)]
  const week = timesOfWeek(prices.periods ?? [])
  const named = pricedRows.filter(({ member }) => prices[member] !== undefined)
  return pricedTiers(prices).flatMap((tier) => {
    const steps = week.map((at) => {
      const context = { tier, promptTokens: 0, at }
      return { old: ratesFor(before, context), next: ratesFor(after, context) }
    })
    return named.flatMap(({ member, name, unit }): ChangedPrice[] => {
      const [largest] = steps
        .map(({ old, next }) => ({ old: old[member], next: next[member] }))
        .toSorted((one, other) => Math.abs(other.next - other.old) - Math.abs(one.next - one.old))
      if (largest === undefined || largest.next === largest.old) return []
      const { old, next } = largest
      return [{ tier, name, unit: describeUnit(unit), from_usd: usdOfUnit(old, unit), to_usd: usdOfUnit(next, unit) }]
    })
  })
}
