import type { IdentityContext } from '../context.ts'
import type { StoredUser } from '../store/users.ts'
import type { Metadata } from '../wire.ts'
import { mergeMetadata } from './merge-metadata.ts'

// Each of these changes the record it is given and what belongs to the user; saveUser stores the record.

export function saveUser({ users, now }: IdentityContext, user: StoredUser): void {
  user.profile.updated_at = new Date(now()).toISOString()
  users.update(user)
}

/** Marks the address as confirmed. Mails sent before no longer work. */
export function confirmEmail({ oneTimeTokens, now }: IdentityContext, { profile }: StoredUser): void {
  profile.email_confirmed_at = new Date(now()).toISOString()
  profile.confirmed_at = profile.email_confirmed_at
  profile.user_metadata = mergeMetadata(profile.user_metadata, { email_verified: true })
  oneTimeTokens.removeOfUser(profile.id)
}

/** Sets a password. Mails sent before no longer work, and all sessions but `keptSessionId` (null: all) end. */
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

/** Updates what the identity of the user's address says. */
export function updateEmailIdentity({ profile }: StoredUser, data: Metadata): void {
  for (const identity of profile.identities) {
    identity.identity_data = mergeMetadata(identity.identity_data, data)
    if (typeof data.email === 'string') identity.email = data.email
  }
}

/** Rewrites the sign-in methods of `app_metadata`, as GoTrue does whenever a mail was confirmed. */
export function rewriteProviders({ profile }: StoredUser): void {
  const providers = [...new Set(profile.identities.map(({ provider }) => provider))]
  const [provider = null] = providers
  profile.app_metadata = mergeMetadata(profile.app_metadata, { providers, provider })
}
