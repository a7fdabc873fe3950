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

/** Emoji that unseen characters join or complete: a family, or the flag of Wales. Then what a line and a link are made of. */
const unplain =
  /(\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)+|\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f})|[\p{C}\s:/\\@]+/gu

/**
 * A name that people chose, in one line and without anything that mail programs make a link: strangers would follow it, because the mail is
 * ours. A space after each dot ends host names, also after the dots of other scripts that browsers accept.
 */
export const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(unplain, (_, emoji: string | undefined) => emoji ?? ' ')
    .replace(/[.。]+(?=\S)/gu, '. ')
    .trim()

export const quoted = (label: string): string => `“${plainName(label)}”`
