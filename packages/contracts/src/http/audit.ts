import { type Static, Type } from 'typebox'
import { described } from './described.ts'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const

export const AuditEntry = Type.Object({
  id: described('The id of the entry.', Type.String()),
  at: described('When it happened.', Type.String({ format: 'date-time' })),
  action: described('The action, such as `key.created`. Later versions may add more.', Type.String()),
  actor_id: described(
    'The user who acted; null for the service itself and for management keys, which `detail` names.',
    Type.Union([Type.String({ format: 'uuid' }), Type.Null()])
  ),
  actor_email: described('Also null after the user is deleted.', Type.Union([Type.String(), Type.Null()])),
  subject: described(
    'Id of the changed object; null for the account itself.',
    Type.Union([Type.String(), Type.Null()])
  ),
  detail: described(
    'More about it. A changed setting has its new value, and its old one as `<name>_before`.',
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))
  ),
  ip: described('Null for the service itself.', Type.Union([Type.String(), Type.Null()]))
})
export type AuditEntry = Static<typeof AuditEntry>

/** An entry as the list shows it. */
export const ListedAuditEntry = Type.Object({
  ...AuditEntry.properties,
  actor_key_label: described(
    'Label of the management key that acted; null for other actors, and once the key is erased.',
    Type.Union([Type.String(), Type.Null()])
  ),
  subject_exists: described(
    'Whether `subject` is a key, a webhook endpoint or a member of the team that still exists. Revoked keys do.',
    Type.Boolean()
  )
})

/** Which entries are wanted. All conditions must hold. */
const filter = {
  action: described(
    'Actions with commas, such as `key.created,key.revoked`. A name without a dot is a kind: `key` for all actions of keys.',
    Type.Optional(Type.String({ maxLength: 1000, pattern: patterns.actions }))
  ),
  actor: described(
    'Who did it: the id of a user or of a management key, or `service`.',
    Type.Optional(Type.String({ pattern: patterns.actor }))
  ),
  subject: described(
    'Id of the changed object, such as a key.',
    Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
  ),
  from: described('At this time or later.', Type.Optional(Type.String({ format: 'date-time' }))),
  to: described('Before this time.', Type.Optional(Type.String({ format: 'date-time' }))),
  q: described(
    'A part of the action, the actor’s address, the subject, the client’s address or a value of `detail`, in any case.',
    Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
  )
}
export const AuditFilterQuery = Type.Object(filter, closed)
export type AuditFilterQuery = Static<typeof AuditFilterQuery>

export const AuditQuery = Type.Object(
  {
    ...filter,
    limit: described('1 to 100; default 50.', Type.Optional(Type.String({ pattern: patterns.upTo100 }))),
    cursor: described(
      '`next_cursor` of the previous page.',
      Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
    )
  },
  closed
)
export type AuditQuery = Static<typeof AuditQuery>

export const ExportAuditQuery = Type.Object(
  {
    ...filter,
    format: described('Default: `ndjson`, one JSON object in each line.', Type.Optional(Type.Enum(['ndjson', 'csv'])))
  },
  closed
)
export type ExportAuditQuery = Static<typeof ExportAuditQuery>

export const AuditResponse = Type.Object({
  entries: described('Newest first.', Type.Array(ListedAuditEntry)),
  has_more: described('Whether there is a further page.', Type.Boolean()),
  next_cursor: described(
    'Null on the last page. With filters, a page may have fewer entries than `limit`, or none, before the last one.',
    Type.Union([Type.String(), Type.Null()])
  ),
  searched_to: described(
    'Later entries have all been searched; null if all entries have.',
    Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
  )
})
export type AuditResponse = Static<typeof AuditResponse>
