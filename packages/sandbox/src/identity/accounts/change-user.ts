import type { IdentityContext } from '../context.ts'
import type { StoredUser } from '../store/users.ts'
import type { Metadata } from '../wire.ts'
import { mergeMetadata } from './merge-metadata.ts'

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

/** Sets a password. Links and codes of earlier mails stop working. All sessions except `keptSessionId` (null: all) end. */
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
