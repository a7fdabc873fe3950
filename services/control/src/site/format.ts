const locale = 'en-US'
const dollars = { style: 'currency', currency: 'USD' } as const

const exact = new Intl.NumberFormat(locale, { ...dollars, minimumFractionDigits: 2, maximumFractionDigits: 9 })
const short = new Intl.NumberFormat(locale, {
  ...dollars,
  maximumFractionDigits: 9,
  minimumFractionDigits: 2,
  trailingZeroDisplay: 'stripIfInteger'
})
const counts = new Intl.NumberFormat(locale)
const sizes = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
const shortDays = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const shortestDays = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Formats dollars with all their decimals, and at least two. */
export const formatPrice = (usd: number): string => exact.format(usd)

/** Formats dollars without the cents of a whole amount: `$20`, `$0.05`. */
export const formatUsd = (usd: number): string => short.format(usd)

export const formatCount = (count: number): string => counts.format(count)

/** Formats a number of tokens or requests with three digits: `128K`, `1.05M`. */
export const formatSize = (count: number): string => sizes.format(count)

/** Formats a length in tokens as people write it: `8K` for 8,192, 8,191 and 8,000, `1M` for 1,048,576. */
export function formatContext(tokens: number): string {
  const isBinary = tokens % 1000 !== 0 && [tokens, tokens + 1].some((count) => count % 1024 === 0)
  const step = isBinary ? 1024 : 1000
  const thousands = tokens / step
  if (thousands >= 1000) return formatSize((thousands / step) * 1e6)
  return thousands >= 1 ? `${formatCount(Math.round(thousands))}K` : formatCount(tokens)
}

/** A count with its noun: `1 key`, `2 keys`. */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

/** The day of a time in UTC: `1 March 2027`. */
export const formatDay = (time: Date | number): string => days.format(time)

/** The same in few characters: `1 Mar 2027`, or `1 Mar` in the present year. */
export const formatShortDay = (time: number, year: number): string =>
  (new Date(time).getUTCFullYear() === year ? shortestDays : shortDays).format(time)

/** A month in UTC: `March 2027`. @param month `2027-03` */
export const formatMonth = (month: string): string => months.format(new Date(`${month}-01T00:00:00Z`))

/** Joins names as a sentence does: `A, B and C`. */
export const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
