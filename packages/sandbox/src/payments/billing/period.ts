import type { Interval } from '../objects/new-price.ts'

export interface Recurrence {
  interval: Interval
  intervalCount: number
}

const dayS = 86_400

/**
 * Computes the end of the period that contains `startS`. Periods are counted from `anchorS`. Months and years end on the
 * anchor's day of the month, or on the last day of a shorter month, in UTC.
 *
 * @param anchorS at or before `startS`; all in Unix seconds
 */
export function periodEnd(anchorS: number, startS: number, recurrence: Recurrence): number {
  let count = 1
  while (afterPeriods(anchorS, count, recurrence) <= startS) count++
  return afterPeriods(anchorS, count, recurrence)
}

function afterPeriods(anchorS: number, count: number, { interval, intervalCount }: Recurrence): number {
  const steps = count * intervalCount
  if (interval === 'day') return anchorS + steps * dayS
  if (interval === 'week') return anchorS + steps * 7 * dayS
  return addMonths(anchorS, interval === 'year' ? steps * 12 : steps)
}

function addMonths(startS: number, months: number): number {
  const start = new Date(startS * 1000)
  const year = start.getUTCFullYear()
  const month = start.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(start.getUTCDate(), lastDay)
  const ofDayS = startS - Math.floor(startS / dayS) * dayS
  return Date.UTC(year, month, day) / 1000 + ofDayS
}
