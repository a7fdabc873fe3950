import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { patterns } from '../patterns.ts'
import { Adjustment } from '../usage.ts'

export const closed = { additionalProperties: false } as const

export const AccountId = Type.String({ format: 'uuid' })
export const Instant = Type.String({ format: 'date-time' })
export const Count = Type.Integer({ minimum: 0 })
/** Exact US dollars, with 2 to 9 decimals. */
export const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
/** Exact US dollars that may be below zero. */
export const SignedUsd = Type.String({ pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
/** A calendar month in UTC, such as `2026-11`. */
export const Month = Type.String({ pattern: patterns.month })
/** Why the operator acts. The audit logs keep it. */
export const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: patterns.reason })
/** `next_cursor` of the previous page. */
export const Cursor = Type.String({ minLength: 1, maxLength: 500 })
export const NextCursor = Type.Union([Type.String(), Type.Null()])
export const PageLimit = Type.String({ pattern: patterns.upTo100 })

/** Charges or credits an account for a month. */
export const AdjustmentRequest = Type.Object(
  {
    id: described(
      'A new random id. A repeated call with the same id changes nothing more.',
      Type.String({ format: 'uuid' })
    ),
    amount_usd: described(
      'Above zero: charges the account. Below zero: credits it. At most nine decimals.',
      Type.Number({ minimum: -1e6, maximum: 1e6 })
    ),
    month: described('The present month, or an earlier one.', Month),
    reason: described('The customer sees it with the adjustment.', Reason)
  },
  closed
)
export type AdjustmentRequest = Static<typeof AdjustmentRequest>

export const AdjustmentResponse = Type.Object({ adjustment: Adjustment })
export type AdjustmentResponse = Static<typeof AdjustmentResponse>
