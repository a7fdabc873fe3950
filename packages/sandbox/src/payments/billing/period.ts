import type { Interval } from '../objects/new-price.ts'

const dayS = 86_400

/**
 * Computes the end of the period that contains `startS`. Periods are counted from `anchorS`. They end on the anchor's day of
 * the month, or on the last day of a shorter month, in UTC.
 *
 * @param anchorS at or before `startS`; all in Unix seconds
 */
export function periodEnd(anchorS: number, startS: number, interval: Interval): number {
  const months = interval === 'year' ? 12 : 1
  let count = 1
  while (addMonths(anchorS, count * months) <= startS) count++
  return addMonths(anchorS, count * months)
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
