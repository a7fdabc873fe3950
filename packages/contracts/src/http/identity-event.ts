import { type Static, Type } from 'typebox'

/** A row of `auth.users`. Control reads only its id. */
const Row = Type.Object({ id: Type.String({ format: 'uuid' }) })
const RowOrNull = Type.Union([Row, Type.Null()])

/** The body of Supabase's database webhook on `auth.users`. */
export const IdentityEvent = Type.Object({
  type: Type.Enum(['INSERT', 'UPDATE', 'DELETE']),
  schema: Type.Literal('auth'),
  table: Type.Literal('users'),
  /** Null for `DELETE`. */
  record: RowOrNull,
  /** Null for `INSERT`. */
  old_record: Type.Optional(RowOrNull)
})
export type IdentityEvent = Static<typeof IdentityEvent>
