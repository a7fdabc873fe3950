import { formatChange } from '../format/number.ts'
import { monthStart, type UsageRange } from './usage-range.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

/**
 * The range of the same length before a range. Its bars match those of the range, one by one. Before a month comes the
 * month before, which may have fewer days or more.
 */
export function rangeBefore({ from, to, interval, isMonth }: UsageRange): UsageRange {
  if (interval === 'month' || isMonth) {
    const last = new Date(to.getTime() - 1)
    const months = (last.getUTCFullYear() - from.getUTCFullYear()) * 12 + last.getUTCMonth() - from.getUTCMonth() + 1
    return { from: earlier(from, months, 'last day'), to: earlier(to, months, 'end'), interval }
  }
  const step = interval === 'hour' ? hourMs : dayMs
  const shift = Math.ceil((to.getTime() - Math.floor(from.getTime() / step) * step) / step) * step
  return { from: new Date(from.getTime() - shift), to: new Date(to.getTime() - shift), interval }
}

/**
 * The same time some months earlier, or the latest one that a shorter month allows: the start of its last day, or its
 * end.
 */
function earlier(time: Date, months: number, bound: 'last day' | 'end'): Date {
  const start = monthStart(time, -months).getTime()
  const end = monthStart(time, 1 - months).getTime()
  const intoMonth = time.getTime() - monthStart(time, 0).getTime()
  return new Date(Math.min(start + intoMonth, bound === 'end' ? end : end - dayMs))
}

/** Above this, a number of percent says nothing. */
const maxChange = 9.99

/**
 * Describes a change: `+12%`, `-3%`, `0%`. `new` if there was nothing before.
 *
 * @returns an empty text if there is nothing at all
 */
export function describeChange(now: number, before: number): string {
  if (before === 0) return now === 0 ? '' : 'new'
  const change = (now - before) / before
  return change > maxChange ? `> ${formatChange(maxChange)}` : formatChange(change)
}
