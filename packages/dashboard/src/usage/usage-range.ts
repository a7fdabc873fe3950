export const ranges = [
  ['day', '24 hours'],
  ['week', '7 days'],
  ['month', '30 days'],
  ['quarter', '90 days']
] as const
export type RangeName = (typeof ranges)[number][0]

export type Interval = 'hour' | 'day' | 'month'

const dayMs = 86_400_000
const hourMs = 3_600_000
const lengths: Record<RangeName, number> = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, quarter: 90 * dayMs }
/** Longer ranges are shown by the day, and then by the month: a screen has no room for more bars. */
const maxHourlyMs = 3 * dayMs
const maxDailyMs = 120 * dayMs

/** Whole hours; `to` is exclusive. */
export interface UsageRange {
  readonly from: Date
  readonly to: Date
  readonly interval: Interval
}

/** The end of the current hour. A query then stays the same for an hour. */
const hourEnd = (now: Date): number => (Math.floor(now.getTime() / hourMs) + 1) * hourMs

/** A range from the start of a UTC hour or day to the end of the current hour. Each bar then covers a whole hour or day. */
export function usageRange(name: RangeName, now: Date): UsageRange {
  const interval = name === 'day' ? 'hour' : 'day'
  const to = hourEnd(now)
  const step = interval === 'hour' ? hourMs : dayMs
  // The range includes the current hour or day.
  const from = Math.ceil((to - lengths[name]) / step) * step
  return { from: new Date(from), to: new Date(to), interval }
}

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
 * The range from one day to another, both included. It ends with the current hour if the last day is not over, so that it can
 * be compared with the same part of the range before.
 *
 * @returns null if a text is no day, or the last day is before the first one
 */
export function rangeOfDays(first: string | undefined, last: string | undefined, now: Date): UsageRange | null {
  const [from, lastStart] = [startOfDay(first), startOfDay(last)]
  if (from === null || lastStart === null || lastStart < from) return null
  const end = lastStart.getTime() + dayMs
  const past = Math.min(end, hourEnd(now))
  const to = past > from.getTime() ? past : end
  const length = end - from.getTime()
  const interval = length <= maxHourlyMs ? 'hour' : length <= maxDailyMs ? 'day' : 'month'
  return { from, to: new Date(to), interval }
}

/** The range of the same length before a range. Its bars match those of the range, one by one. */
export function rangeBefore({ from, to, interval }: UsageRange): UsageRange {
  if (interval === 'month') {
    const last = new Date(to.getTime() - 1)
    const months = (last.getUTCFullYear() - from.getUTCFullYear()) * 12 + last.getUTCMonth() - from.getUTCMonth() + 1
    return { from: earlier(from, months, 'last day'), to: earlier(to, months, 'end'), interval }
  }
  const step = interval === 'hour' ? hourMs : dayMs
  const shift = Math.ceil((to.getTime() - Math.floor(from.getTime() / step) * step) / step) * step
  return { from: new Date(from.getTime() - shift), to: new Date(to.getTime() - shift), interval }
}

/** The same time some months earlier, or the latest one that a shorter month allows: the start of its last day, or its end. */
function earlier(time: Date, months: number, bound: 'last day' | 'end'): Date {
  const start = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() - months)
  const end = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() - months + 1)
  const intoMonth = time.getTime() - Date.UTC(time.getUTCFullYear(), time.getUTCMonth())
  return new Date(Math.min(start + intoMonth, bound === 'end' ? end : end - dayMs))
}
