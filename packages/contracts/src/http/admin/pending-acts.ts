import { type Static, Type } from 'typebox'
import { AuditEntry } from '../audit.ts'
import { described } from '../described.ts'
import { AccountId, Instant } from './adjustments.ts'

/** An act of an operator that waits for a second one. Nothing is done before. */
export const PendingAct = Type.Object({
  id: Type.String({ format: 'uuid' }),
  action: Type.Enum(['account.adjusted', 'account.overridden']),
  account_id: AccountId,
  account_email: described(
    "Address of the account's owner; null after the owner is deleted.",
    Type.Union([Type.String(), Type.Null()])
  ),
  detail: described('What it will do.', AuditEntry.properties.detail),
  reason: Type.String(),
  asked_by: described(
    'The operator who asked. Only another one confirms or rejects it.',
    Type.String({ format: 'uuid' })
  ),
  asked_by_email: Type.Union([Type.String(), Type.Null()]),
  asked_at: Instant,
  ends_at: described('Nobody can confirm it from then on.', Instant)
})
export type PendingAct = Static<typeof PendingAct>

/** The answer (202) to an act that needs a second operator. */
export const PendingActResponse = Type.Object({ pending: PendingAct })
export type PendingActResponse = Static<typeof PendingActResponse>

export const PendingActsResponse = Type.Object({
  pending: described('At most 100, the oldest first.', Type.Array(PendingAct))
})
export type PendingActsResponse = Static<typeof PendingActsResponse>

export const PendingActParams = Type.Object({ id: Type.String() })
