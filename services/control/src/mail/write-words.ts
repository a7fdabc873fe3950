/** Dollars for people: cents, or all decimals of less than a cent. @param usd such as `80.000000001` */
export function dollars(usd: string): string {
  const value = Number(usd)
  return value !== 0 && value < 0.01 ? `$${usd}` : `$${value.toFixed(2)}`
}

const moments = new Intl.DateTimeFormat('en-GB', {
  ...{ timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' }
})
const months = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long' })

/** @param instant ISO 8601 */
export const moment = (instant: string): string => `${moments.format(new Date(instant)).replace(' at ', ', ')} UTC`

/** @param month such as `2026-11` */
export const monthName = (month: string): string => months.format(new Date(`${month}-01T00:00:00Z`))

/** People choose labels: one with line breaks must not look like more of our text. */
export const quoted = (label: string): string => `“${label.replace(/[\p{C}\s]+/gu, ' ').trim()}”`
