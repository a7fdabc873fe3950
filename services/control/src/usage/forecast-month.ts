import { monthOf } from './usage-range.ts'

const dayMs = 86_400_000
/** The pace is that of so many complete days at most. */
export const forecastDays = 7
/** Fewer days with usage say too little. */
const minDays = 3

export interface MonthSoFar {
  readonly now: Date
  /** In this month. */
  readonly spentNanos: number
  /** Spend of the last complete days (UTC), oldest first; at most {@link forecastDays}. They may be of the month before. */
  readonly dayNanos: readonly number[]
}

/**
 * Predicts the spend of the whole month: the spend so far, and the pace of the last complete days for the rest of it. Days
 * before the first usage do not count, so that a new account is not underestimated.
 *
 * @returns nanodollars; null with fewer than three days of usage
 */
export function forecastMonth({ now, spentNanos, dayNanos }: MonthSoFar): number | null {
  const first = dayNanos.findIndex((nanos) => nanos > 0)
  const days = first === -1 ? [] : dayNanos.slice(first)
  if (days.length < minDays) return null
  const perDay = days.reduce((sum, nanos) => sum + nanos, 0) / days.length
  const restDays = (monthOf(now).to.getTime() - now.getTime()) / dayMs
  return Math.round(spentNanos + perDay * restDays)
}
