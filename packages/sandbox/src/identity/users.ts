import { randomUUID } from 'node:crypto'
import type { IdentityContext } from './context.ts'
import { type GoTrueError, validationFailed } from './errors.ts'
import type { StoredUser } from './user-store.ts'
import type { Metadata, WireUser } from './wire.ts'

export interface NewUser {
  /** In lowercase. */
  email: string
  passwordHash: string | null
  userMetadata: Metadata
  /** A UUID; random by default. */
  id?: string
  /** `authenticated` by default. */
  role?: string
}

/** Makes a user with an unconfirmed address and an e-mail identity, without storing it. */
export function newUser(values: NewUser, nowMs: number): StoredUser {
  const { email, passwordHash, userMetadata, id = randomUUID(), role = 'authenticated' } = values
  const now = new Date(nowMs).toISOString()
  return {
    profile: {
      id,
      aud: 'authenticated',
      role,
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: userMetadata,
      identities: [
        {
          identity_id: randomUUID(),
          id,
          user_id: id,
          identity_data: { email, email_verified: false, phone_verified: false, sub: id },
          provider: 'email',
          last_sign_in_at: now,
          created_at: now,
          updated_at: now,
          email
        }
      ],
      created_at: now,
      updated_at: now,
      is_anonymous: false
    },
    passwordHash,
    isEmailChangeHalfConfirmed: false
  }
}

/**
 * Makes the user of a sign-up, without storing it. The e-mail identity also gets the metadata of the request, and the
 * user's metadata is a copy of the identity's data.
 */
export function newSignUp(email: string, passwordHash: string | null, data: Metadata, nowMs: number): StoredUser {
  const user = newUser({ email, passwordHash, userMetadata: {} }, nowMs)
  for (const identity of user.profile.identities) {
    identity.identity_data = { ...data, ...identity.identity_data }
    user.profile.user_metadata = { ...identity.identity_data }
  }
  return user
}

// These functions change the given record, and the user's tokens and sessions. saveUser stores the record.

export function saveUser({ users, now }: IdentityContext, user: StoredUser): void {
  user.profile.updated_at = new Date(now()).toISOString()
  users.update(user)
}

/** Confirms the address. Links and codes of earlier mails stop working. */
export function confirmEmail({ oneTimeTokens, now }: IdentityContext, { profile }: StoredUser): void {
  profile.email_confirmed_at = new Date(now()).toISOString()
  profile.confirmed_at = profile.email_confirmed_at
  profile.user_metadata = mergeMetadata(profile.user_metadata, { email_verified: true })
  oneTimeTokens.removeOfUser(profile.id)
}

/**
 * Sets a password. Links and codes of earlier mails stop working. All sessions except `keptSessionId` (null: all) end.
 */
export function setPassword(
  { sessions, oneTimeTokens }: IdentityContext,
  user: StoredUser,
  passwordHash: string,
  keptSessionId: string | null
): void {
  const { profile } = user
  user.passwordHash = passwordHash
  delete profile.confirmation_sent_at
  delete profile.recovery_sent_at
  delete profile.email_change_sent_at
  oneTimeTokens.removeOfUser(profile.id)
  sessions.removeOfUser(profile.id, keptSessionId)
}

/** Updates the data of the user's e-mail identity. */
export function updateEmailIdentity({ profile }: StoredUser, data: Metadata): void {
  for (const identity of profile.identities) {
    identity.identity_data = mergeMetadata(identity.identity_data, data)
    if (typeof data.email === 'string') identity.email = data.email
  }
}

/** Rewrites the sign-in methods in `app_metadata`, as GoTrue does after each confirmation. */
export function rewriteProviders({ profile }: StoredUser): void {
  const providers = [...new Set(profile.identities.map(({ provider }) => provider))]
  const [provider = null] = providers
  profile.app_metadata = mergeMetadata(profile.app_metadata, { providers, provider })
}

/**
 * Merges an update into metadata as GoTrue does: top-level keys are replaced as a whole, null removes a key, others
 * stay.
 */
export function mergeMetadata(current: Metadata, update: Metadata): Metadata {
  // Built from entries, because assigning a key named __proto__ would set the prototype.
  const merged = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(update)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 }
const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g
const duration = new RegExp(`^[+-]?(?:0|(?:${part.source})+)$`)

// Go stores a duration as nanoseconds in 64 bits.
const maxMs = 2 ** 63 / 1e6

/**
 * Parses `ban_duration`: a duration in Go's format ("24h", "1h30m"), or "none", which lifts the ban.
 *
 * @returns milliseconds; 0 for no ban
 * @throws GoTrueError 400 `validation_failed`
 */
export function parseBanDuration(text: string): number {
  if (text === 'none') return 0
  if (!duration.test(text)) throw invalidDuration(text)
  let total = 0
  for (const [, amount, unit] of text.matchAll(part)) total += Number(amount) * (unitMs[unit ?? ''] ?? 0)
  if (total > maxMs) throw invalidDuration(text)
  return text.startsWith('-') ? -total : total
}

/** @param durationMs 0 lifts the ban */
export function ban(user: WireUser, durationMs: number, nowMs: number): void {
  if (durationMs === 0) delete user.banned_until
  else user.banned_until = new Date(nowMs + durationMs).toISOString()
}

export function isBanned(user: WireUser, nowMs: number): boolean {
  return user.banned_until !== undefined && nowMs < Date.parse(user.banned_until)
}

function invalidDuration(text: string): GoTrueError {
  return validationFailed(`invalid format for ban duration: time: invalid duration ${JSON.stringify(text)}`)
}
