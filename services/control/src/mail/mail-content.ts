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
  /** See auth/describe-browser.ts. */
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
