import { type Static, Type } from 'typebox'
import { AuditEntry } from '../audit.ts'
import { AccountId, Instant } from './adjustments.ts'

/** An act of an operator that waits for a second one. Nothing is done before. */
export const PendingAct = Type.Object({
  id: Type.String({ format: 'uuid' }),
  action: Type.Enum(['account.adjusted', 'account.overridden']),
  account_id: AccountId,
  /** Address of the account's owner; null after the owner is deleted. */
  account_email: Type.Union([Type.String(), Type.Null()]),
  /** What it will do. */
  detail: AuditEntry.properties.detail,
  reason: Type.String(),
  /** The operator who asked. Only another one confirms or rejects it. */
  asked_by: Type.String({ format: 'uuid' }),
  asked_by_email: Type.Union([Type.String(), Type.Null()]),
  asked_at: Instant,
  /** Nobody can confirm it from then on. */
  ends_at: Instant
})
export type PendingAct = Static<typeof PendingAct>

/** The answer (202) to an act that needs a second operator. */
export const PendingActResponse = Type.Object({ pending: PendingAct })
export type PendingActResponse = Static<typeof PendingActResponse>

export const PendingActsResponse = Type.Object({
  /** At most 100, the oldest first. */
  pending: Type.Array(PendingAct)
})
export type PendingActsResponse = Static<typeof PendingActsResponse>

export const PendingActParams = Type.Object({ id: Type.String() })
