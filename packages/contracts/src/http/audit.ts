import { type Static, Type } from 'typebox'
import { patterns } from './patterns.ts'

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
  /** More about it. A changed setting has its new value, and its old one as `<name>_before`. */
  detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  /** Null for the service itself. */
  ip: Type.Union([Type.String(), Type.Null()])
})
export type AuditEntry = Static<typeof AuditEntry>

/** An entry as the list shows it. */
export const ListedAuditEntry = Type.Object({
  ...AuditEntry.properties,
  /** Label of the management key that acted; null for other actors, and once the key is erased. */
  actor_key_label: Type.Union([Type.String(), Type.Null()]),
  /** Whether `subject` is a key, a webhook endpoint or a member of the team that still exists. Revoked keys do. */
  subject_exists: Type.Boolean()
})

/** Which entries are wanted. All conditions must hold. */
const filter = {
  /**
   * Actions with commas, such as `key.created,key.revoked`. A name without a dot is a kind: `key` for all actions of
   * keys.
   */
  action: Type.Optional(Type.String({ maxLength: 1000, pattern: patterns.actions })),
  /** Who did it: the id of a user or of a management key, or `service`. */
  actor: Type.Optional(Type.String({ pattern: patterns.actor })),
  /** Id of the changed object, such as a key. */
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  /** At this time or later. */
  from: Type.Optional(Type.String({ format: 'date-time' })),
  /** Before this time. */
  to: Type.Optional(Type.String({ format: 'date-time' })),
  /**
   * A part of the action, the actor’s address, the subject, the client’s address or a value of `detail`, in any case.
   */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
}
export const AuditFilterQuery = Type.Object(filter, closed)
export type AuditFilterQuery = Static<typeof AuditFilterQuery>

export const AuditQuery = Type.Object(
  {
    ...filter,
    /** 1 to 100; default 50. */
    limit: Type.Optional(Type.String({ pattern: patterns.upTo100 })),
    /** `next_cursor` of the previous page. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
  },
  closed
)
export type AuditQuery = Static<typeof AuditQuery>

export const ExportAuditQuery = Type.Object(
  {
    ...filter,
    /** Default: `ndjson`, one JSON object in each line. */
    format: Type.Optional(Type.Enum(['ndjson', 'csv']))
  },
  closed
)
export type ExportAuditQuery = Static<typeof ExportAuditQuery>

export const AuditResponse = Type.Object({
  entries: Type.Array(ListedAuditEntry),
  has_more: Type.Boolean(),
  /** Null on the last page. With filters, a page may have fewer entries than `limit`, or none, before the last one. */
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  /** Later entries have all been searched; null if all entries have. */
  searched_to: Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
})
export type AuditResponse = Static<typeof AuditResponse>
