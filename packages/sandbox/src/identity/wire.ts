import type { AMREntry, AuthError, Session, User, UserIdentity, WeakPasswordReasons } from '@supabase/supabase-js'

// These types are derived from those of the client library: the type check fails if the library changes and this server
// does not.

/** The string literals of a union, without `string`, which the client's type also allows. */
type Literals<T> = T extends string ? (string extends T ? never : T) : never

/** The codes that the client knows, and one that only the server knows. */
export type ErrorCode = Literals<AuthError['code']> | 'request_entity_too_large'

/** An identity as the server sends it, with the address as an additional field. */
export type WireIdentity = Required<UserIdentity> & { email: string }

/** A user as the server sends it. Fields that are always sent are not optional. */
export type WireUser = Omit<User, 'identities'> &
  Required<Pick<User, 'email' | 'phone' | 'role' | 'updated_at' | 'is_anonymous'>> & { identities: WireIdentity[] }

/** A session as the server sends it. `weak_password` is set if the current rules refuse the password. */
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
