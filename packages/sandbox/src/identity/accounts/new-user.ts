import { randomUUID } from 'node:crypto'
import type { StoredUser } from '../store/users.ts'
import type { Metadata } from '../wire.ts'

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
