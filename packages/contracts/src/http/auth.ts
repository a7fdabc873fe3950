import { type Static, Type } from 'typebox'
import { described } from './described.ts'
import { typedRecoveryCode } from './recovery-code.ts'

const closed = { additionalProperties: false } as const

/**
 * What an operator may do. `read`: see everything. `support`: suspend and delete accounts, revoke keys, end sessions.
 * `money`: plans, limits, adjustments, the catalog, exports and operators' webhooks.
 */
const OperatorRole = Type.Enum(['read', 'support', 'money'])
export type OperatorRole = Static<typeof OperatorRole>

export const User = Type.Object({
  id: described('The id of the user.', Type.String({ format: 'uuid' })),
  email: described('The confirmed e-mail address.', Type.String()),
  name: described('How the user is called.', Type.String()),
  plan: described('The id of the plan of the account that the user acts for.', Type.String()),
  role: described('Only present for operators.', Type.Optional(Type.Literal('operator'))),
  operator_roles: described('Only present for operators: what they may do.', Type.Optional(Type.Array(OperatorRole))),
  has_password: described(
    'Only present, as `false`, for a user who signs in with a provider such as GitHub and has set no password.',
    Type.Optional(Type.Literal(false))
  )
})
export type User = Static<typeof User>

export const UserResponse = Type.Object({ user: described('The user who is signed in.', User) })
export const OkResponse = Type.Object({
  ok: described('Always true: failures have an error instead.', Type.Literal(true))
})

/** No control characters: databases cannot store all of them, and logs should not contain them. */
const printable = '^[^\\u0000-\\u001f\\u007f]*$'
/** The identity provider takes 255 characters of address and 72 bytes of password. The bytes are checked separately. */
const Email = described('An e-mail address.', Type.String({ minLength: 1, maxLength: 255, pattern: printable }))
const Password = described('A password, at most 72 bytes.', Type.String({ minLength: 1, maxLength: 1024 }))

const Name = described(
  'How the user wants to be called.',
  Type.String({ minLength: 1, maxLength: 200, pattern: printable })
)

/** What the CAPTCHA of a form gave. Required if forms show one. It counts once. */
const captcha_token = described(
  'What the CAPTCHA of the form gave. Required if forms show one. It counts once.',
  Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, pattern: printable }))
)

/** `remember` keeps the password, encrypted, in a cookie of this browser: then the mailed link does not ask for it. */
export const RegisterRequest = Type.Object(
  {
    email: Email,
    password: Password,
    name: Name,
    remember: described(
      'Whether this browser keeps the password, encrypted, so that the mailed link does not ask for it. Default false.',
      Type.Optional(Type.Boolean())
    ),
    captcha_token
  },
  closed
)
export type RegisterRequest = Static<typeof RegisterRequest>

/** Six digits of an authenticator app. */
const AppCode = described('Six digits of the authenticator app.', Type.String({ pattern: '^[0-9]{6}$' }))
/**
 * Six digits of an authenticator app, or a recovery code such as `abcd-efgh-jkmn-pqrs`, in either case and with or
 * without the marks.
 */
const Code = described(
  'Six digits of the authenticator app, or a recovery code such as `abcd-efgh-jkmn-pqrs`.',
  Type.String({ pattern: `^([0-9]{6}|${typedRecoveryCode})$` })
)
/** Required only for users with a second factor. */
const code = described(
  'Required only for users with a second factor: six digits of the authenticator app, or a recovery code.',
  Type.Optional(Code)
)

export const LoginRequest = Type.Object({ email: Email, password: Password, code, captcha_token }, closed)
export type LoginRequest = Static<typeof LoginRequest>

/**
 * Confirms that the caller is the user. `code`: required with a second factor. Users without a password send only their
 * code.
 */
export const ReauthenticateRequest = Type.Object(
  { password: Type.Optional(Password), code },
  { ...closed, examples: [{ password: 'correct horse battery' }] }
)

/** The code of the second factor, after a sign-in with a provider such as GitHub. */
export const LoginCodeRequest = Type.Object({ code: Code }, closed)

export const ProviderParams = Type.Object({
  provider: described('The name of the sign-in provider, such as `github`.', Type.String())
})
/** `next`: the page of the dashboard to open after the sign-in. */
export const ProviderQuery = Type.Object(
  {
    next: described(
      'The page of the dashboard to open after the sign-in. Default: the overview.',
      Type.Optional(Type.String({ maxLength: 2048 }))
    )
  },
  closed
)
/** What comes back from a sign-in provider. It may add parameters. */
export const ProviderAnswerQuery = Type.Object({
  state: described('What ties the answer to the browser that began.', Type.Optional(Type.String())),
  code: described(
    'What control exchanges for the user.',
    Type.Optional(Type.String({ minLength: 1, maxLength: 1024 }))
  ),
  error: described('Why the provider refused.', Type.Optional(Type.String())),
  error_code: described('The code of that error.', Type.Optional(Type.String()))
})
export type ProviderAnswer = Static<typeof ProviderAnswerQuery>

/** For calls that send a mail. */
export const AddressRequest = Type.Object({ email: Email, captcha_token }, closed)
export type AddressRequest = Static<typeof AddressRequest>

/** The token of a mailed link. */
const TokenHash = described(
  'The token of the mailed link.',
  Type.String({ minLength: 1, maxLength: 1024, pattern: printable })
)
/** The session that the identity provider opened for a mailed link of its own templates. */
const AccessToken = described(
  'The session that the identity provider opened for the mailed link.',
  Type.String({ minLength: 1, maxLength: 16_384, pattern: printable })
)

/**
 * A new password, and the token or session of the mailed link. `revoke_keys` also revokes the user's inference keys.
 * `sign_in` also signs the user in, unless a second factor is on.
 */
const reset = {
  password: Password,
  revoke_keys: described(
    "Whether to revoke the user's inference keys, too. Default false.",
    Type.Optional(Type.Boolean())
  ),
  sign_in: described(
    'Whether to sign the user in, unless a second factor is on. Default false.',
    Type.Optional(Type.Boolean())
  )
}
export const ResetPasswordRequest = Type.Union([
  Type.Object({ token_hash: TokenHash, ...reset }, closed),
  Type.Object({ access_token: AccessToken, ...reset }, closed)
])
export type ResetPasswordRequest = Static<typeof ResetPasswordRequest>
/** `user` is only present if `sign_in` signed the user in. */
export const ResetPasswordResponse = Type.Object({
  ok: described('Always true: failures have an error instead.', Type.Literal(true)),
  user: described('Only present if the user was signed in.', Type.Optional(User))
})

export const ChangePasswordRequest = Type.Object({ current_password: Password, password: Password }, closed)
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>

/** Whether a second factor is asked for when the user signs in. */
export const SecondFactorResponse = Type.Object({
  enabled: described('Whether a second factor is asked for when the user signs in.', Type.Boolean()),
  recovery_codes_left: described('How many recovery codes still work.', Type.Integer()),
  recovered: described(
    'Whether this session may turn the second factor off without a code, because it began with a recovery code.',
    Type.Boolean()
  )
})

/** Each code replaces a code of the app once. They are shown only once. */
export const RecoveryCodesResponse = Type.Object({
  recovery_codes: described(
    'Each replaces a code of the app once. They are shown only in this answer.',
    Type.Array(Type.String())
  )
})

export const StartSecondFactorRequest = Type.Object({ password: Password }, closed)
/** `secret` (base32) is for typing, `uri` (`otpauth://`) for a QR code. They are shown only once. */
export const StartSecondFactorResponse = Type.Object({
  secret: described(
    'The secret in base32, to type into an app. It is shown only in this answer.',
    Type.String(),
    'JBSWY3DPEHPK3PXP'
  ),
  uri: described('The same as `otpauth://` address, for a QR code.', Type.String())
})

/** Turns the second factor on, with the first code of the app. */
export const ConfirmSecondFactorRequest = Type.Object({ password: Password, code: AppCode }, closed)
export const ConfirmSecondFactorResponse = Type.Object({
  ok: described('Always true: failures have an error instead.', Type.Literal(true)),
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
  Type.Object(
    {
      everywhere: described(
        'Whether to end all sessions of the user. Default false: only this one.',
        Type.Optional(Type.Boolean())
      )
    },
    closed
  )
])
export type SignoutRequest = Static<typeof SignoutRequest>

/** Where a user is signed in. */
export const Session = Type.Object({
  id: described('Names the session. It is no credential.', Type.String({ format: 'uuid' })),
  browser: described(
    'The browser that signed in, such as `Firefox on Linux`. Null if it is not known.',
    Type.Union([Type.String(), Type.Null()])
  ),
  created_at: described('When the user signed in.', Type.String({ format: 'date-time' })),
  last_used_at: described('Up to a minute earlier than the last use.', Type.String({ format: 'date-time' })),
  ends_at: described('When the session ends unless it is used again.', Type.String({ format: 'date-time' })),
  current: described('Whether this request uses this session.', Type.Boolean())
})
export type Session = Static<typeof Session>

/** At most 100: the current session first, then the most recently used. */
export const SessionsResponse = Type.Object({
  sessions: described('At most 100: the current session first, then the most recently used.', Type.Array(Session))
})

export const SessionParams = Type.Object({ id: described('The id of the session.', Type.String()) })

/** For calls without input: no body, or an empty object. */
export const EmptyRequest = Type.Union([Type.Null(), Type.Object({}, closed)])

/** Types of links that only confirm an address. */
const ConfirmationType = described(
  'The type in the mailed link.',
  Type.Union([Type.Literal('signup'), Type.Literal('email')])
)
export type ConfirmationType = Static<typeof ConfirmationType>

/**
 * The password, and the token or session of the mailed link. `set` replaces the stored password with this one. The
 * browser that registered with `remember` need not send the password.
 */
const confirmation = {
  password: Type.Optional(Password),
  set: described('Whether this password replaces the stored one. Default false.', Type.Optional(Type.Boolean())),
  code
}
export const ConfirmRequest = Type.Union([
  Type.Object({ token_hash: TokenHash, type: ConfirmationType, ...confirmation }, closed),
  Type.Object({ access_token: AccessToken, ...confirmation }, closed)
])
export type ConfirmRequest = Static<typeof ConfirmRequest>

/** Query of the link in a confirmation mail. Mail programs and trackers may add parameters. */
export const ConfirmQuery = Type.Object({
  token_hash: described('The token of the mailed link.', Type.Optional(Type.String())),
  type: described('The type in the mailed link.', Type.Optional(Type.String()))
})
export type ConfirmQuery = Static<typeof ConfirmQuery>
