import type { Interval } from '../objects/new-price.ts'
import type { WirePrice } from '../wire.ts'

const intervals: readonly Interval[] = ['month', 'year']

/** How often a price recurs; null for a one-time price. */
export function recurrenceOf({ recurring }: WirePrice): Interval | null {
  if (recurring === null) return null
  const interval = intervals.find((known) => known === recurring.interval)
  if (interval === undefined) throw new Error(`${recurring.interval} is not an interval.`)
  return interval
}

/** Whether the prices recur at the same times, as one subscription requires. */
export function recurTogether(prices: readonly WirePrice[]): boolean {
  return new Set(prices.map(recurrenceOf)).size <= 1
}
