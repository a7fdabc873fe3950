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

/**
 * A name that people chose, in one line and without anything that mail programs make a link: strangers would follow it, because the mail is
 * ours. A space after each dot ends host names, also after the dots of other scripts that browsers accept.
 */
export const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[\p{C}\s:/\\@]+/gu, ' ')
    .replace(/[.。]+(?=\S)/gu, '. ')
    .trim()

export const quoted = (label: string): string => `“${plainName(label)}”`
