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

/** What a database cannot store or a log should not contain. */
const printable = '^[^\\u0000-\\u001f\\u007f]*$'
/** Lengths of the identity provider: 255 characters of address; 72 bytes of password, which is checked apart. */
const Email = Type.String({ minLength: 1, maxLength: 255, pattern: printable })
const Password = Type.String({ minLength: 1, maxLength: 1024 })

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: printable })

export const RegisterRequest = Type.Object({ email: Email, password: Password, name: Name }, closed)
export type RegisterRequest = Static<typeof RegisterRequest>

export const LoginRequest = Type.Object({ email: Email, password: Password }, closed)
export type LoginRequest = Static<typeof LoginRequest>

/** For calls that have a mail sent. */
export const AddressRequest = Type.Object({ email: Email }, closed)
export type AddressRequest = Static<typeof AddressRequest>

/** A new password, with what the link in the mail led to: its token, or the session that the provider opened for it. */
export const ResetPasswordRequest = Type.Union([
  Type.Object(
    { token_hash: Type.String({ minLength: 1, maxLength: 1024, pattern: printable }), password: Password },
    closed
  ),
  Type.Object(
    { access_token: Type.String({ minLength: 1, maxLength: 16_384, pattern: printable }), password: Password },
    closed
  )
])
export type ResetPasswordRequest = Static<typeof ResetPasswordRequest>

export const ChangePasswordRequest = Type.Object({ current_password: Password, password: Password }, closed)
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>

export const ChangeUserRequest = Type.Object({ name: Name }, closed)
export type ChangeUserRequest = Static<typeof ChangeUserRequest>

export const SignoutRequest = Type.Union([
  Type.Null(),
  Type.Object({ everywhere: Type.Optional(Type.Boolean()) }, closed)
])
export type SignoutRequest = Static<typeof SignoutRequest>

/** For calls that need nothing: no body, or an empty object. */
export const EmptyRequest = Type.Union([Type.Null(), Type.Object({}, closed)])

/** Of the link in a confirmation mail. Mail programs and trackers add parameters of their own. */
export const ConfirmQuery = Type.Object({
  token_hash: Type.Optional(Type.String()),
  type: Type.Optional(Type.String())
})
export type ConfirmQuery = Static<typeof ConfirmQuery>
