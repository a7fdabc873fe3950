import type { PricePeriod } from './model-prices.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** The period whose prices apply at a time (Unix milliseconds). */
export function periodAt(periods: readonly PricePeriod[], at: number): PricePeriod {
  for (let index = periods.length - 1; index > 0; index--) if (contains(periods[index]!, at)) return periods[index]!
  return periods[0]!
}

/** All periods whose prices apply at some time of a range, its ends included. */
export function periodsWithin(periods: readonly PricePeriod[], from: number, until: number): Iterable<PricePeriod> {
  if (periods.length === 1) return periods
  const times = new Set([from])
  for (const period of periods) for (const time of boundaries(period, from, until)) times.add(time)
  const found = new Set<PricePeriod>()
  for (const time of times) found.add(periodAt(periods, time))
  return found
}

function contains({ from, until, weekdays, minutes }: PricePeriod, at: number): boolean {
  if (from !== undefined && at < from * 1000) return false
  if (until !== undefined && at >= until * 1000) return false
  if (weekdays !== undefined && !weekdays.includes(new Date(at).getUTCDay())) return false
  if (minutes === undefined) return true
  const minute = (at % dayMs) / minuteMs
  return minutes.some(([first, end]) => minute >= first && minute < end)
}

/** The times after `from`, up to `until`, at which a period can begin or end. Within them, no other time matters. */
function boundaries(
  { from: first, until: end, weekdays, minutes }: PricePeriod,
  from: number,
  until: number
): number[] {
  const times = [first, end].flatMap((seconds) => (seconds === undefined ? [] : [seconds * 1000]))
  if (weekdays !== undefined || minutes !== undefined) {
    const ofDay = [0, ...(minutes ?? []).flat()]
    for (let day = from - (from % dayMs); day <= until; day += dayMs) {
      for (const minute of ofDay) times.push(day + minute * minuteMs)
    }
  }
  return times.filter((time) => time > from && time <= until)
}
