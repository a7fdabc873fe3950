import { hash, randomUUID } from 'node:crypto'
import type { IdentityContext } from '../context.ts'
import { GoTrueError } from '../errors.ts'
import type { StoredUser } from '../store/users.ts'
import type { WireIdentity } from '../wire.ts'
import { isBanned } from './ban.ts'
import { confirmEmail, rewriteProviders, saveUser } from './change-user.ts'
import { newUser } from './new-user.ts'

/** A person as a sign-in provider describes them. */
export interface Person {
  readonly provider: string
  /** In lowercase. */
  readonly email: string
  readonly name: string
  /** Whether the provider has verified that the address belongs to the person. */
  readonly isVerified: boolean
}

/**
 * Finds or creates the user of a person. As in GoTrue (internal/models/linking.go), a verified address links the person to
 * the user who has it. If that user never confirmed it, a stranger may have registered it: their password is removed.
 *
 * @throws GoTrueError if the address is not verified, the user is banned, or nobody may sign up
 */
export function signInWithProvider(context: IdentityContext, person: Person): StoredUser {
  const found = context.users.byEmail(person.email)
  if (!person.isVerified) {
    const message = `Unverified email with ${person.provider}. Verify the email with ${person.provider} in order to sign in`
    throw new GoTrueError(403, 'provider_email_needs_verification', message)
  }
  if (found === null && context.settings.isSignUpDisabled) {
    throw new GoTrueError(422, 'signup_disabled', 'Signups not allowed for this instance')
  }
  const user = found ?? createUser(context, person)
  if (isBanned(user.profile, context.now())) throw new GoTrueError(403, 'user_banned', 'User is banned')
  if (user.profile.email_confirmed_at === undefined) {
    user.passwordHash = null
    user.profile.identities = []
    user.profile.user_metadata = {}
    confirmEmail(context, user)
  }
  const others = user.profile.identities.filter(({ provider }) => provider !== person.provider)
  const identity = identityOf(user, person, context.now())
  user.profile.identities = [...others, identity]
  user.profile.user_metadata = { ...user.profile.user_metadata, ...identity.identity_data }
  rewriteProviders(user)
  saveUser(context, user)
  return user
}

function createUser(context: IdentityContext, { email }: Person): StoredUser {
  const user = newUser({ email, passwordHash: null, userMetadata: {} }, context.now())
  user.profile.identities = []
  context.users.insert(user)
  return user
}

function identityOf({ profile }: StoredUser, { provider, email, name }: Person, nowMs: number): WireIdentity {
  const now = new Date(nowMs).toISOString()
  const known = profile.identities.find((one) => one.provider === provider)
  const sub = hash('sha256', `${provider} ${email}`, 'hex').slice(0, 16)
  return {
    identity_id: known?.identity_id ?? randomUUID(),
    id: sub,
    user_id: profile.id,
    identity_data: { email, email_verified: true, full_name: name, name, phone_verified: false, sub },
    provider,
    last_sign_in_at: now,
    created_at: known?.created_at ?? now,
    updated_at: now,
    email
  }
}
