import { type Static, Type } from 'typebox'
import { AuditEntry } from '../audit.ts'
import { described } from '../described.ts'
import { AccountId, Cursor, closed, NextCursor, PageLimit } from './adjustments.ts'

/** An act of an operator. */
export const OperatorAct = Type.Object({
  ...AuditEntry.properties,
  account_id: described(
    'The account that it touched; null for acts about the whole system.',
    Type.Union([AccountId, Type.Null()])
  ),
  account_email: described(
    "Address of that account's owner; null for other acts, and after the owner is deleted.",
    Type.Union([Type.String(), Type.Null()])
  ),
  reason: Type.String()
})
export type OperatorAct = Static<typeof OperatorAct>

export const OperatorActsQuery = Type.Object(
  {
    actor_id: described('Only acts of this operator.', Type.Optional(Type.String({ format: 'uuid' }))),
    account_id: described('Only acts about this account.', Type.Optional(AccountId)),
    limit: Type.Optional(PageLimit),
    cursor: Type.Optional(Cursor)
  },
  closed
)
export type OperatorActsQuery = Static<typeof OperatorActsQuery>

export const OperatorActsResponse = Type.Object({
  entries: Type.Array(OperatorAct),
  has_more: Type.Boolean(),
  next_cursor: NextCursor
})
export type OperatorActsResponse = Static<typeof OperatorActsResponse>
