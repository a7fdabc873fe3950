const month = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const short = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const startOf = (of: string): Date => new Date(`${of.slice(0, 7)}-01T00:00:00Z`)

/** Formats a month such as `2026-11` as `November 2026`. */
export const formatMonth = (of: string): string => month.format(startOf(of))

/** Formats a month such as `2026-11` as `Nov 2026`. */
export const formatShortMonth = (of: string): string => short.format(startOf(of))

/** The month of an instant in UTC, such as `2026-11`. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

/** The last months in UTC, the present one first. */
export const lastMonths = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, back) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)))
  )
