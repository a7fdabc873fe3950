import { formatInZone, zoneMark } from './zone.ts'

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
]
const relative = new Intl.RelativeTimeFormat('en')

/**
 * Formats a time relative to now, rounded down: `3 hours ago`, `in 2 days`. Below one minute: `just now` or `in a moment`.
 * Words like `yesterday` are avoided, because they depend on the reader's time zone.
 */
export function formatRelative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (step === undefined) return seconds > 0 ? 'in a moment' : 'just now'
  const [unit, length] = step
  return relative.format(Math.trunc(seconds / length), unit)
}

const utcDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const moment = formatInZone({ dateStyle: 'medium', timeStyle: 'short' })
const exactMoment = formatInZone({ dateStyle: 'medium', timeStyle: 'medium' })

/** The day of an event, in the chosen zone. */
export const formatDay = formatInZone({ dateStyle: 'medium' })
/** Usage and budgets count days and months in UTC. */
export const formatUtcDay = (at: Date): string => utcDay.format(at)
/** The time of an event, in the chosen zone. */
export const formatMoment = (at: Date): string => moment(at) + zoneMark()
/** {@link formatMoment} with seconds. */
export const formatExactMoment = (at: Date): string => exactMoment(at) + zoneMark()
