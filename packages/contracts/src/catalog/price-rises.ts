import { pricedRows, type UnitName, units } from '../meters/meters.ts'
import { formatPicos } from '../money/usd.ts'
import { type ModelPrices, type PricePeriod, standardTier } from '../prices/model-prices.ts'
import { ratesFor } from '../prices/rates-for.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const daysOfWeek = 7

/** A kind of price that becomes dearer, in dollars for each unit. */
export interface DearerPrice {
  /** By its name in the catalog file. */
  readonly kind: string
  /** Such as `1M tokens`. */
  readonly unit: string
  readonly from_usd: string
  readonly to_usd: string
}

/** A day from which some prices are dearer. */
export interface PriceRise {
  /** Unix milliseconds. */
  readonly from: number
  /** Those of the standard tier and short prompts. */
  readonly prices: readonly DearerPrice[]
}

/** The times after `now` (Unix milliseconds) at which dated prices begin, in order. */
export function laterPriceDates({ periods = [] }: ModelPrices, now: number): number[] {
  const starts = periods.flatMap(({ from }) => (from === undefined ? [] : [from * 1000]))
  return [...new Set(starts)].filter((start) => start > now).toSorted((one, other) => one - other)
}

/**
 * Finds the dates from which prices will be dearer than now, and dearer than on every date in between. Two rises are
 * two dates: the second one starts from the price of the first. A price that falls again is no rise. Prices of a weekday
 * or hour are compared with those of the same weekday and hour.
 *
 * @param prices what the customer pays
 * @param now Unix milliseconds
 */
export function findPriceRises(prices: ModelPrices, now: number): PriceRise[] {
  const dates = laterPriceDates(prices, now)
  const calendars = [now, ...dates].map((time) => withoutDays(prices, time))
  const times = timesOfWeek(prices.periods ?? [])
  const rates = calendars.map((calendar) =>
    times.map((at) => ratesFor(calendar, { tier: standardTier, promptTokens: 0, at }))
  )
  const named = pricedRows.filter(({ member }) => prices[member] !== undefined)
  const rises = dates.map((from, index): PriceRise => {
    const earlier = rates.slice(0, index + 1)
    const dearer = named.flatMap(({ member, kind, unit }): DearerPrice[] => {
      const steps = rates[index + 1]!.map((then, time) => ({
        before: Math.max(...earlier.map((rate) => rate[time]![member])),
        after: then[member]
      }))
      const [dearest] = steps
        .filter(({ before, after }) => after > before)
        .toSorted((one, other) => other.after - one.after)
      if (dearest === undefined) return []
      const { before, after } = dearest
      return [{ kind, unit: describeUnit(unit), from_usd: usdOfUnit(before, unit), to_usd: usdOfUnit(after, unit) }]
    })
    return { from, prices: dearer }
  })
  return rises.filter(({ prices }) => prices.length > 0)
}

/** The prices of a day, as if they applied for ever: only weekdays and hours are left. */
export function withoutDays(prices: ModelPrices, day: number): ModelPrices {
  const { periods } = prices
  if (periods === undefined) return prices
  const isOfDay = ({ from = 0, until = Number.POSITIVE_INFINITY }: PricePeriod, index: number) =>
    index === 0 || (from * 1000 <= day && day < until * 1000)
  const ofDay = periods.filter(isOfDay).map(({ from: _from, until: _until, ...rest }) => rest)
  return { ...prices, periods: ofDay }
}

/** Every time of a week (Unix milliseconds) at which a weekday or an hour of a period begins or ends. */
export function timesOfWeek(periods: readonly PricePeriod[]): number[] {
  const minutes = new Set([0, ...periods.flatMap((period) => (period.minutes ?? []).flat())])
  const days = Array.from({ length: daysOfWeek }, (_, day) => day * dayMs)
  return days.flatMap((day) => [...minutes].map((minute) => day + minute * minuteMs))
}

/** What a price is for, such as `1M tokens`. */
export function describeUnit(unit: UnitName): string {
  const { per, label } = units[unit]
  return per === 1 ? label : `${label} ${unit}s`
}

/** Exact: a price of a second may have twelve decimals. */
export const usdOfUnit = (picos: number, unit: UnitName): string =>
  formatPicos(BigInt(picos) * BigInt(units[unit].per), 2)
