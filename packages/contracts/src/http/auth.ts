import { type Static, Type } from 'typebox'
import { typedRecoveryCode } from './recovery-code.ts'

const closed = { additionalProperties: false } as const

/**
 * What an operator may do. `read`: see everything. `support`: suspend and delete accounts, revoke keys, end sessions.
 * `money`: plans, limits, adjustments, the catalog, exports and operators' webhooks.
 */
const OperatorRole = Type.Enum(['read', 'support', 'money'])
export type OperatorRole = Static<typeof OperatorRole>

export const User = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  plan: Type.String(),
  /** Only present for operators. They may use `/api/admin`. */
  role: Type.Optional(Type.Literal('operator')),
  /** Only present for operators: what they may do there. */
  operator_roles: Type.Optional(Type.Array(OperatorRole)),
  /** Only present, as `false`, for a user who signs in with a provider such as GitHub and has set no password. */
  has_password: Type.Optional(Type.Literal(false))
})
export type User = Static<typeof User>

export const UserResponse = Type.Object({ user: User })
export const OkResponse = Type.Object({ ok: Type.Literal(true) })

/** No control characters: databases cannot store all of them, and logs should not contain them. */
const printable = '^[^\\u0000-\\u001f\\u007f]*$'
/** The identity provider takes 255 characters of address and 72 bytes of password. The bytes are checked separately. */
const Email = Type.String({ minLength: 1, maxLength: 255, pattern: printable })
const Password = Type.String({ minLength: 1, maxLength: 1024 })

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: printable })

/** What the CAPTCHA of a form gave. Required if forms show one. It counts once. */
const captcha_token = Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, pattern: printable }))

/** `remember` keeps the password, encrypted, in a cookie of this browser: then the mailed link does not ask for it. */
export const RegisterRequest = Type.Object(
  { email: Email, password: Password, name: Name, remember: Type.Optional(Type.Boolean()), captcha_token },
  closed
)
export type RegisterRequest = Static<typeof RegisterRequest>

/** Six digits of an authenticator app. */
const AppCode = Type.String({ pattern: '^[0-9]{6}$' })
/**
 * Six digits of an authenticator app, or a recovery code such as `abcd-efgh-jkmn-pqrs`, in either case and with or
 * without the marks.
 */
const Code = Type.String({ pattern: `^([0-9]{6}|${typedRecoveryCode})$` })
/** Required only for users with a second factor. */
const code = Type.Optional(Code)

export const LoginRequest = Type.Object({ email: Email, password: Password, code, captcha_token }, closed)
export type LoginRequest = Static<typeof LoginRequest>

/**
 * Confirms that the caller is the user. `code`: required with a second factor. Users without a password send only their
 * code.
 */
export const ReauthenticateRequest = Type.Object({ password: Type.Optional(Password), code }, closed)

/** The code of the second factor, after a sign-in with a provider such as GitHub. */
export const LoginCodeRequest = Type.Object({ code: Code }, closed)

export const ProviderParams = Type.Object({ provider: Type.String() })
/** `next`: the page of the dashboard to open after the sign-in. */
export const ProviderQuery = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2048 })) }, closed)
/** What comes back from a sign-in provider. It may add parameters. */
export const ProviderAnswerQuery = Type.Object({
  state: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  error: Type.Optional(Type.String()),
  error_code: Type.Optional(Type.String())
})
export type ProviderAnswer = Static<typeof ProviderAnswerQuery>

/** For calls that send a mail. */
export const AddressRequest = Type.Object({ email: Email, captcha_token }, closed)
export type AddressRequest = Static<typeof AddressRequest>

/** The token of a mailed link. */
const TokenHash = Type.String({ minLength: 1, maxLength: 1024, pattern: printable })
/** The session that the identity provider opened for a mailed link of its own templates. */
const AccessToken = Type.String({ minLength: 1, maxLength: 16_384, pattern: printable })

/**
 * A new password, and the token or session of the mailed link. `revoke_keys` also revokes the user's inference keys.
 * `sign_in` also signs the user in, unless a second factor is on.
 */
const reset = {
  password: Password,
  revoke_keys: Type.Optional(Type.Boolean()),
  sign_in: Type.Optional(Type.Boolean())
}
export const ResetPasswordRequest = Type.Union([
  Type.Object({ token_hash: TokenHash, ...reset }, closed),
  Type.Object({ access_token: AccessToken, ...reset }, closed)
])
export type ResetPasswordRequest = Static<typeof ResetPasswordRequest>
/** `user` is only present if `sign_in` signed the user in. */
export const ResetPasswordResponse = Type.Object({ ok: Type.Literal(true), user: Type.Optional(User) })

export const ChangePasswordRequest = Type.Object({ current_password: Password, password: Password }, closed)
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>

/** Whether a second factor is asked for when the user signs in. */
export const SecondFactorResponse = Type.Object({
  enabled: Type.Boolean(),
  /** How many recovery codes still work. */
  recovery_codes_left: Type.Integer(),
  /** Whether this session may turn the second factor off without a code, because it began with a recovery code. */
  recovered: Type.Boolean()
})

/** Each code replaces a code of the app once. They are shown only once. */
export const RecoveryCodesResponse = Type.Object({ recovery_codes: Type.Array(Type.String()) })

export const StartSecondFactorRequest = Type.Object({ password: Password }, closed)
/** `secret` (base32) is for typing, `uri` (`otpauth://`) for a QR code. They are shown only once. */
export const StartSecondFactorResponse = Type.Object({ secret: Type.String(), uri: Type.String() })

/** Turns the second factor on, with the first code of the app. */
export const ConfirmSecondFactorRequest = Type.Object({ password: Password, code: AppCode }, closed)
export const ConfirmSecondFactorResponse = Type.Object({
  ok: Type.Literal(true),
  ...RecoveryCodesResponse.properties
})
/** Makes new recovery codes. */
export const ChangeSecondFactorRequest = Type.Object({ password: Password, code: Code }, closed)
/** Turns the second factor off. A session that began with a recovery code needs no `code` in its first hour. */
export const RemoveSecondFactorRequest = Type.Object({ password: Password, code }, closed)

export const ChangeUserRequest = Type.Object({ name: Name }, closed)
export type ChangeUserRequest = Static<typeof ChangeUserRequest>

export const SignoutRequest = Type.Union([
  Type.Null(),
  Type.Object({ everywhere: Type.Optional(Type.Boolean()) }, closed)
])
export type SignoutRequest = Static<typeof SignoutRequest>

/** Where a user is signed in. */
export const Session = Type.Object({
  /** Names the session. It is no credential. */
  id: Type.String({ format: 'uuid' }),
  /** The browser that signed in, such as `Firefox on Linux`. Null if it is not known. */
  browser: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String({ format: 'date-time' }),
  /** Up to a minute earlier than the last use. */
  last_used_at: Type.String({ format: 'date-time' }),
  /** When the session ends unless it is used again. */
  ends_at: Type.String({ format: 'date-time' }),
  /** Whether this request uses this session. */
  current: Type.Boolean()
})
export type Session = Static<typeof Session>

/** At most 100: the current session first, then the most recently used. */
export const SessionsResponse = Type.Object({ sessions: Type.Array(Session) })

export const SessionParams = Type.Object({ id: Type.String() })

/** For calls without input: no body, or an empty object. */
export const EmptyRequest = Type.Union([Type.Null(), Type.Object({}, closed)])

/** Types of links that only confirm an address. */
const ConfirmationType = Type.Union([Type.Literal('signup'), Type.Literal('email')])
export type ConfirmationType = Static<typeof ConfirmationType>

/**
 * The password, and the token or session of the mailed link. `set` replaces the stored password with this one. The
 * browser that registered with `remember` need not send the password.
 */
const confirmation = { password: Type.Optional(Password), set: Type.Optional(Type.Boolean()), code }
export const ConfirmRequest = Type.Union([
  Type.Object({ token_hash: TokenHash, type: ConfirmationType, ...confirmation }, closed),
  Type.Object({ access_token: AccessToken, ...confirmation }, closed)
])
export type ConfirmRequest = Static<typeof ConfirmRequest>

/** Query of the link in a confirmation mail. Mail programs and trackers may add parameters. */
export const ConfirmQuery = Type.Object({
  token_hash: Type.Optional(Type.String()),
  type: Type.Optional(Type.String())
})
export type ConfirmQuery = Static<typeof ConfirmQuery>
