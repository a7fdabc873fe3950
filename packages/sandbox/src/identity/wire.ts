import type { AMREntry, AuthError, Session, User, UserIdentity, WeakPasswordReasons } from '@supabase/supabase-js'

// These types are derived from the client library's own, so that a change there which this server does not follow
// fails the type check.

/** Only the string literals of a union: the client's type also admits any other string. */
type Literals<T> = T extends string ? (string extends T ? never : T) : never

/** The codes that the client knows, and the one of the server's own that it does not list. */
export type ErrorCode = Literals<AuthError['code']> | 'request_entity_too_large'

/** An identity as the server sends it: the address stands in it once more. */
export type WireIdentity = Required<UserIdentity> & { email: string }

/** A user as the server sends it: fields that it always sends are not optional. */
export type WireUser = Omit<User, 'identities'> &
  Required<Pick<User, 'email' | 'phone' | 'role' | 'updated_at' | 'is_anonymous'>> & { identities: WireIdentity[] }

/** A session as the server sends it. `weak_password` tells that today's rules would refuse the password. */
export type WireSession = Omit<Session, 'provider_token' | 'provider_refresh_token'> &
  Required<Pick<Session, 'expires_at'>> & { user: WireUser; weak_password?: WeakPassword }

export interface WeakPassword {
  message: string
  reasons: WeakPasswordReasons[]
}

/** The claims of an access token besides `iss`, `sub`, `aud`, `exp` and `iat`. */
export interface AccessTokenClaims {
  email: string
  phone: string
  app_metadata: User['app_metadata']
  user_metadata: User['user_metadata']
  role: string
  aal: 'aal1' | 'aal2'
  amr: AMREntry[]
  session_id: string
  is_anonymous: boolean
}

/** Metadata of a user: a JSON object. */
export type Metadata = Record<string, unknown>
