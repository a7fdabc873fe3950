/** Where times of single events are shown: in the browser's time zone, or in UTC. */
export const zones = ['own', 'utc'] as const
export type Zone = (typeof zones)[number]

const storageKey = 'time-zone'
let chosen: Zone | null = null
const listeners = new Set<() => void>()

/** The chosen zone. Browsers can forbid storage; every visit then starts with the browser's zone. */
export function chosenZone(): Zone {
  chosen ??= storedZone()
  return chosen
}

function storedZone(): Zone {
  try {
    return localStorage.getItem(storageKey) === 'utc' ? 'utc' : 'own'
  } catch {
    return 'own'
  }
}

export function chooseZone(zone: Zone): void {
  chosen = zone
  try {
    if (zone === 'own') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, zone)
  } catch {
    // Without storage the zone lasts for this visit only.
  }
  for (const listener of listeners) listener()
}

/** Calls a listener after each choice. @returns a function that ends it */
export function onZone(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The name of the browser's zone, such as `Europe/Berlin`. */
export const ownZoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A function that formats times in the chosen zone. */
export function formatInZone(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  const formats = {
    own: new Intl.DateTimeFormat('en-US', options),
    utc: new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  }
  return (at) => formats[chosenZone()].format(at)
}

/** What to write after a time: ` UTC`, or nothing in the reader's own zone. */
export const zoneMark = (): string => (chosenZone() === 'utc' ? ' UTC' : '')

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
]
const relative = new Intl.RelativeTimeFormat('en')

/**
 * Formats a time relative to now, rounded down: `3 hours ago`, `in 2 days`. Below one minute: `just now` or `in a
 * moment`. Words like `yesterday` are avoided, because they depend on the reader's time zone.
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

const month = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const short = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const startOf = (of: string): Date => new Date(`${of.slice(0, 7)}-01T00:00:00Z`)

/** Formats a month such as `2026-11` as `November 2026`. */
export const formatMonth = (of: string): string => month.format(startOf(of))

/** Formats a month such as `2026-11` as `Nov 2026`. */
export const formatShortMonth = (of: string): string => short.format(startOf(of))

/** The month of an instant in UTC, such as `2026-11`. */
const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

/** The last months in UTC, the present one first. */
export const lastMonths = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, back) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)))
  )
