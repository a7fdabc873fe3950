import { randomUUID } from 'node:crypto'
import type { IdentityContext } from './context.ts'
import { encodeRefreshToken, issueAccessToken, newRefreshKey } from './session-tokens.ts'
import type { StoredSession, StoredUser } from './user-store.ts'
import { saveUser } from './users.ts'
import type { WireSession } from './wire.ts'

/** Signs the user in: stores a new session, and the user with the time of the sign-in. */
export function startSession(
  context: IdentityContext,
  user: StoredUser,
  method: 'password' | 'otp' | 'oauth'
): StoredSession {
  const now = context.now()
  const session: StoredSession = {
    id: randomUUID(),
    userId: user.profile.id,
    amr: [{ method, timestamp: Math.floor(now / 1000) }],
    refreshCounter: 0,
    refreshKey: newRefreshKey(),
    refreshedMs: now
  }
  user.profile.last_sign_in_at = new Date(now).toISOString()
  saveUser(context, user)
  context.sessions.insert(session)
  return session
}

/** Makes the answer for a client: a new access token and the active refresh token. */
export async function issueSession(
  context: IdentityContext,
  { profile }: StoredUser,
  session: StoredSession
): Promise<WireSession> {
  const { signingKey, settings } = context
  const { token, expiresAt } = await issueAccessToken(
    signingKey,
    context.baseUrl(),
    profile,
    session,
    Math.floor(context.now() / 1000),
    settings.accessTokenLifetimeS
  )
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: settings.accessTokenLifetimeS,
    expires_at: expiresAt,
    refresh_token: encodeRefreshToken({ sessionId: session.id, counter: session.refreshCounter }, session.refreshKey),
    user: profile
  }
}
