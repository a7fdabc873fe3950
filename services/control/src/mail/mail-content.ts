import type { EventData, EventType } from '@tollgate/contracts/events/event-types.ts'
import type { KeyScope } from '@tollgate/contracts/keys/secret.ts'
import type { MailText } from './render-mail.ts'

/** The words of a mail. Its button leads to a page of the dashboard. */
export type MailContent = Omit<MailText, 'button'> & {
  readonly button: { readonly text: string; readonly path: string }
}

/** What `key.revoked_by_operator` tells. */
export interface KeyRevokedByOperator {
  readonly label: string
  readonly scope: KeyScope
  readonly prefix: string
  readonly reason: string
}

/** What `recovery_code.used` tells. */
export interface RecoveryCodeUsed {
  /** How many codes still work. */
  readonly left: number
}

/** What `seat.removed` tells. */
export interface SeatRemoved {
  /** Of the team: name and address. */
  readonly owner: string
}

/** What `sign_in.new_browser` tells. */
export interface NewBrowser {
  /** See auth/sign-in.ts. */
  readonly browser: string | null
  readonly ip: string
}

interface OnlyMailed {
  'key.revoked_by_operator': KeyRevokedByOperator
  'recovery_code.used': RecoveryCodeUsed
  'seat.removed': SeatRemoved
  'sign_in.guessed': object
  'sign_in.new_browser': NewBrowser
}

type DataOf<Type> = Type extends EventType ? EventData<Type> : Type extends keyof OnlyMailed ? OnlyMailed[Type] : never

/** A stored notice of one of some types. */
export type NoticeOf<Type extends EventType | keyof OnlyMailed> = Type extends unknown
  ? { readonly type: Type; readonly data: DataOf<Type>; readonly at: string }
  : never

/** Dollars for people: cents, or all decimals of less than a cent. @param usd such as `80.000000001` */
export function dollars(usd: string): string {
  const value = Number(usd)
  return value !== 0 && value < 0.01 ? `$${usd}` : `$${value.toFixed(2)}`
}

const moments = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit'
})
const days = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })
const months = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long' })

/** @param instant ISO 8601 */
export const moment = (instant: string): string => `${moments.format(new Date(instant)).replace(' at ', ', ')} UTC`

/** The day of a moment, UTC. @param instant ISO 8601 */
export const dayName = (instant: string): string => days.format(new Date(instant))

/** @param month such as `2026-11` */
export const monthName = (month: string): string => months.format(new Date(`${month}-01T00:00:00Z`))

/**
 * Emoji that unseen characters join or complete: a family, or the flag of Wales. Then what a line and a link are made
 * of.
 */
const unplain =
  /(\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)+|\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f})|[\p{C}\s:/\\@]+/gu

/**
 * A name that people chose, in one line and without anything that mail programs make a link: strangers would follow it,
 * because the mail is ours. A space after each dot ends host names, also after the dots of other scripts that browsers
 * accept.
 */
export const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(unplain, (_, emoji: string | undefined) => emoji ?? ' ')
    .replace(/[.。]+(?=\S)/gu, '. ')
    .trim()

export const quoted = (label: string): string => `“${plainName(label)}”`
