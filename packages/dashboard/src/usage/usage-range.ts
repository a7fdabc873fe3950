export const ranges = [
  ['day', '24 hours'],
  ['week', '7 days'],
  ['month', '30 days'],
  ['quarter', '90 days'],
  ['this-month', 'This month'],
  ['last-month', 'Last month']
] as const
export type RangeName = (typeof ranges)[number][0]

export type Interval = 'hour' | 'day' | 'month'

const dayMs = 86_400_000
const hourMs = 3_600_000
const lengths = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, quarter: 90 * dayMs }
/** Longer ranges are shown by the day, and then by the month: a screen has no room for more bars. */
const maxHourlyMs = 3 * dayMs
const maxDailyMs = 120 * dayMs

/** Whole hours; `to` is exclusive. */
export interface UsageRange {
  readonly from: Date
  readonly to: Date
  readonly interval: Interval
  /** Whether it is a whole month, or the present one until now: the range before is then the month before. */
  readonly isMonth?: boolean
}

/** The end of the current hour. A query then stays the same for an hour. */
const hourEnd = (now: Date): number => (Math.floor(now.getTime() / hourMs) + 1) * hourMs

/** A month (UTC), or a range to the end of the current hour. Each bar covers a whole hour or day. */
export function usageRange(name: RangeName, now: Date): UsageRange {
  if (name === 'this-month' || name === 'last-month') {
    const first = monthStart(now, name === 'this-month' ? 0 : -1)
    return rangeUntil(first, monthStart(first, 1), now)
  }
  const interval = name === 'day' ? 'hour' : 'day'
  const to = hourEnd(now)
  const step = interval === 'hour' ? hourMs : dayMs
  // The range includes the current hour or day.
  const from = Math.ceil((to - lengths[name]) / step) * step
  return { from: new Date(from), to: new Date(to), interval }
}

/** The start of the month (UTC) some months after that of a time. */
export const monthStart = (time: Date, months: number): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months))

const dayForm = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/

/** The start of a day (UTC) such as `2026-11-23`; null if the text is no day. */
export function startOfDay(day: string | undefined): Date | null {
  if (day === undefined || !dayForm.test(day)) return null
  const start = new Date(`${day}T00:00:00Z`)
  // JavaScript takes the 31st of a shorter month as the first of the next one.
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day) ? start : null
}

/** The day (UTC) of a time, such as `2026-11-23`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/**
 * The range from one day to another, both included. It ends with the current hour if the last day is not over, so that
 * it can be compared with the same part of the range before.
 *
 * @returns null if a text is no day, or the last day is before the first one
 */
export function rangeOfDays(first: string | undefined, last: string | undefined, now: Date): UsageRange | null {
  const [from, lastStart] = [startOfDay(first), startOfDay(last)]
  if (from === null || lastStart === null || lastStart < from) return null
  return rangeUntil(from, new Date(lastStart.getTime() + dayMs), now)
}

/** The first and the last day of a month such as `2026-11`, as the address of the usage page names them. */
export const daysOfMonth = (month: string): { from: string; to: string } => {
  const from = `${month}-01`
  return { from, to: dayOf(new Date(monthStart(new Date(from), 1).getTime() - dayMs)) }
}

function rangeUntil(from: Date, end: Date, now: Date): UsageRange {
  const past = Math.min(end.getTime(), hourEnd(now))
  const to = past > from.getTime() ? new Date(past) : end
  const length = end.getTime() - from.getTime()
  const interval = length <= maxHourlyMs ? 'hour' : length <= maxDailyMs ? 'day' : 'month'
  const isMonth = from.getUTCDate() === 1 && end.getTime() === monthStart(from, 1).getTime()
  return { from, to, interval, ...(isMonth && { isMonth }) }
}
