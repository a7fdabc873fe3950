/** The reader's languages, for the notation of numbers and amounts. The words of the dashboard are English. */
export const locale: readonly string[] | undefined = typeof document === 'undefined' ? ['en-US'] : navigator.languages

const exact = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (count: number): string => exact.format(count)

/** Abbreviates counts from 10,000, such as `1.2M`. */
export const formatCompact = (count: number): string =>
  Math.abs(count) < 10_000 ? exact.format(count) : compact.format(count)

/** A count with its noun: `1 key`, `2 keys`. */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

const formats = [0, 1].map(
  (digits) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
)

/** Formats a number with no decimal, or with one. */
export const formatDecimals = (value: number, digits: 0 | 1): string => formats[digits]?.format(value) ?? ''

const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const change = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero'
})

/** Formats a part of a whole: `0.7%`. */
export const formatShare = (part: number): string => share.format(part)

/** Formats a change in whole percents, with its sign: `+12%`, `-3%`, `0%`. */
export const formatChange = (ratio: number): string => change.format(ratio)

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size, such as `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${formatDecimals(value, power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`
}

/** Formats a duration in its largest unit, rounded down: `45 seconds`, `3 minutes`, `2 hours`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return countOf(Math.floor(seconds), 'second')
  if (seconds < 3600) return countOf(Math.floor(seconds / 60), 'minute')
  return countOf(Math.floor(seconds / 3600), 'hour')
}
