import { randomUUID } from 'node:crypto'
import type { Factor } from '@supabase/supabase-js'
import type { IdentityContext } from './context.ts'
import { GoTrueError } from './errors.ts'
import { newTotpSecret } from './totp.ts'
import type { StoredChallenge, StoredFactor, StoredUser } from './user-store.ts'
import { saveUser } from './users.ts'

const maxFactors = 10
const challengeLifetimeMs = 300_000

export const isVerified = ({ factor }: StoredFactor): boolean => factor.status === 'verified'

/** Whether the user has turned a second factor on. */
export const hasVerifiedFactor = ({ factors = [] }: StoredUser): boolean => factors.some(isVerified)

/** @throws GoTrueError 404 `mfa_factor_not_found` */
export function findFactor({ factors = [] }: StoredUser, id: string): StoredFactor {
  const storedFactor = factors.find(({ factor }) => factor.id === id)
  if (storedFactor === undefined) throw new GoTrueError(404, 'mfa_factor_not_found', 'Factor not found')
  return storedFactor
}

/** Stores a new, unverified factor. @throws GoTrueError 422 */
export function addFactor(context: IdentityContext, user: StoredUser, friendlyName: string): StoredFactor {
  const factors = user.factors ?? []
  if (factors.some(({ factor }) => (factor.friendly_name ?? '') === friendlyName)) {
    const message = `A factor with the friendly name ${JSON.stringify(friendlyName)} for this user already exists`
    throw new GoTrueError(422, 'mfa_factor_name_conflict', message)
  }
  if (factors.length >= maxFactors) {
    const message = 'Maximum number of verified factors reached, unenroll to continue'
    throw new GoTrueError(422, 'too_many_enrolled_mfa_factors', message)
  }
  const at = new Date(context.now()).toISOString()
  const added: StoredFactor = {
    factor: {
      id: randomUUID(),
      ...(friendlyName !== '' && { friendly_name: friendlyName }),
      factor_type: 'totp',
      status: 'unverified',
      created_at: at,
      updated_at: at
    },
    secret: newTotpSecret(),
    challenges: []
  }
  saveFactors(context, user, [...factors, added])
  return added
}

/** Stores a new challenge. @returns the challenge, and when it expires, Unix milliseconds */
export function addChallenge(
  context: IdentityContext,
  user: StoredUser,
  stored: StoredFactor,
  ip: string
): StoredChallenge & { endsMs: number } {
  const now = context.now()
  const challenge = { id: randomUUID(), ip, createdMs: now, isVerified: false }
  stored.factor.last_challenged_at = new Date(now).toISOString()
  const live = stored.challenges.filter(({ createdMs }) => createdMs + challengeLifetimeMs > now)
  stored.challenges = [...live, challenge]
  saveFactors(context, user, user.factors ?? [])
  return { ...challenge, endsMs: now + challengeLifetimeMs }
}

/** @throws GoTrueError 422 for a challenge that is unknown, used, too old or of another client */
export function findChallenge(context: IdentityContext, stored: StoredFactor, id: string, ip: string): StoredChallenge {
  const challenge = stored.challenges.find((one) => one.id === id)
  if (challenge === undefined) {
    throw new GoTrueError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')
  }
  if (challenge.isVerified || challenge.ip !== ip) {
    throw new GoTrueError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
  }
  if (challenge.createdMs + challengeLifetimeMs <= context.now()) {
    const message = `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`
    throw new GoTrueError(422, 'mfa_challenge_expired', message)
  }
  return challenge
}

/** Stores the factors of a user, and shows them in the profile without their secrets. */
export function saveFactors(context: IdentityContext, user: StoredUser, factors: StoredFactor[]): void {
  user.factors = factors
  if (factors.length === 0) delete user.profile.factors
  else user.profile.factors = factors.map(({ factor }) => factor as Factor<'totp', 'verified'>)
  saveUser(context, user)
}
