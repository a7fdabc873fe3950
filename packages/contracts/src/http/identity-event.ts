import { type Static, Type } from 'typebox'
import { described } from './described.ts'

/** A row of `auth.users`. Control reads only its id. */
const Row = Type.Object({ id: described('Id of the user.', Type.String({ format: 'uuid' })) })
const RowOrNull = Type.Union([Row, Type.Null()])

/** The body of Supabase's database webhook on `auth.users`. */
export const IdentityEvent = Type.Object({
  type: described('What happened to the row.', Type.Enum(['INSERT', 'UPDATE', 'DELETE'])),
  schema: described('Always `auth`.', Type.Literal('auth')),
  table: described('Always `users`.', Type.Literal('users')),
  record: described('Null for `DELETE`.', RowOrNull),
  old_record: described('Null for `INSERT`.', Type.Optional(RowOrNull))
})
export type IdentityEvent = Static<typeof IdentityEvent>
