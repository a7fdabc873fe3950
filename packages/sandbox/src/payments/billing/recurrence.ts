import type { Interval } from '../objects/new-price.ts'
import type { WirePrice } from '../wire.ts'
import type { Recurrence } from './period.ts'

const intervals: readonly Interval[] = ['day', 'week', 'month', 'year']

/** How often a price recurs; null for a one-time price. */
export function recurrenceOf({ recurring }: WirePrice): Recurrence | null {
  if (recurring === null) return null
  const interval = intervals.find((known) => known === recurring.interval)
  if (interval === undefined) throw new Error(`${recurring.interval} is not an interval.`)
  return { interval, intervalCount: recurring.interval_count }
}

/** Whether the prices recur at the same times, as one subscription requires. */
export function recurTogether(prices: readonly WirePrice[]): boolean {
  const [first, ...others] = prices.map(recurrenceOf)
  return others.every((other) => other?.interval === first?.interval && other?.intervalCount === first?.intervalCount)
}
