import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

export const User = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  plan: Type.String()
})
export type User = Static<typeof User>

export const UserResponse = Type.Object({ user: User })
export const OkResponse = Type.Object({ ok: Type.Literal(true) })

/** Lengths of the identity provider: 255 characters of address; 72 bytes of password, which it checks itself. */
const Email = Type.String({ minLength: 1, maxLength: 255 })
const Password = Type.String({ minLength: 1, maxLength: 1024 })

export const RegisterRequest = Type.Object(
  { email: Email, password: Password, name: Type.String({ minLength: 1, maxLength: 200 }) },
  closed
)
export type RegisterRequest = Static<typeof RegisterRequest>

export const LoginRequest = Type.Object({ email: Email, password: Password }, closed)
export type LoginRequest = Static<typeof LoginRequest>

export const ConfirmQuery = Type.Object({
  token_hash: Type.String({ minLength: 1 }),
  type: Type.String({ minLength: 1 })
})
export type ConfirmQuery = Static<typeof ConfirmQuery>
