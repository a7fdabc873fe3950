import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Type.String({ format: 'date-time' }),
  /** The action, such as `key.created`. Later versions may add more. */
  action: Type.String(),
  /** The user who acted; null for the service itself and for management keys, which `detail` names. */
  actor_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  /** Also null after the user is deleted. */
  actor_email: Type.Union([Type.String(), Type.Null()]),
  /** Id of the changed object; null for the account itself. */
  subject: Type.Union([Type.String(), Type.Null()]),
  detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  /** Null for the service itself. */
  ip: Type.Union([Type.String(), Type.Null()])
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditQuery = Type.Object(
  {
    /** 1 to 100; default 50. */
    limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|100)$' })),
    /** `next_cursor` of the previous page. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
  },
  closed
)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditResponse = Type.Object({
  entries: Type.Array(AuditEntry),
  has_more: Type.Boolean(),
  /** Null on the last page. */
  next_cursor: Type.Union([Type.String(), Type.Null()])
})
export type AuditResponse = Static<typeof AuditResponse>
