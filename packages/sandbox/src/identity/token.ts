import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../open-sqlite.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, OAuthError, validationFailed } from './errors.ts'
import { findWeakness, isPasswordOf } from './passwords.ts'
import { readBody, Text } from './request-body.ts'
import { issueSession, startSession } from './session.ts'
import { decideRefresh, decodeRefreshToken, isRefreshTokenOf } from './session-tokens.ts'
import type { SignInFlow } from './token-store.ts'
import type { StoredSession, StoredUser } from './user-store.ts'
import { isBanned } from './users.ts'
import type { WireSession } from './wire.ts'

const PkceGrant = Type.Object({ auth_code: Text, code_verifier: Text })

/** GoTrue's default. */
const flowLifetimeMs = 300_000

const PasswordGrant = Type.Object({ email: Text, phone: Text, password: Text })
const RefreshTokenGrant = Type.Object({ refresh_token: Text })

/** `POST /token`: signs in with a password or the code of a sign-in provider, or refreshes a session. */
export function registerToken(app: FastifyInstance, context: IdentityContext): void {
  app.post('/token', async (request) => {
    const { grant_type: grantType } = request.query as Record<string, unknown>
    if (grantType === 'password') return grantByPassword(context, request.body)
    if (grantType === 'refresh_token') return grantByRefreshToken(context, request.body)
    if (grantType === 'pkce') return grantByCode(context, request.body)
    throw new OAuthError(
      'unsupported_grant_type',
      `The embedded identity server does not support the grant type ${grantType}`
    )
  })
}

/** `POST /token?grant_type=pkce`: exchanges the code of a sign-in provider for a session, once. */
async function grantByCode(context: IdentityContext, requestBody: unknown): Promise<WireSession> {
  const { auth_code: code, code_verifier: verifier } = readBody(PkceGrant, requestBody)
  if (!code || !verifier) {
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty')
  }
  const { user, session } = inTransaction(context.database, () => {
    const flow = context.signInFlows.byCode(code)
    const user = flow === null ? null : context.users.byId(flow.userId)
    if (flow === null || user === null) {
      throw new GoTrueError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
    }
    if (context.now() > flow.createdMs + flowLifetimeMs) {
      throw new GoTrueError(403, 'flow_state_expired', 'invalid flow state, flow state has expired')
    }
    if (!isVerifierOf(flow, verifier)) {
      throw new GoTrueError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
    }
    if (isBanned(user.profile, context.now())) throw new GoTrueError(403, 'user_banned', 'User is banned')
    context.signInFlows.remove(code)
    return { user, session: startSession(context, user, 'oauth') }
  })
  return issueSession(context, user, session)
}

const isVerifierOf = ({ codeChallenge, challengeMethod }: SignInFlow, verifier: string): boolean =>
  codeChallenge === (challengeMethod === 'plain' ? verifier : hash('sha256', verifier, 'base64url'))

async function grantByPassword(context: IdentityContext, requestBody: unknown): Promise<WireSession> {
  const { email, phone, password } = readBody(PasswordGrant, requestBody)
  if (email && phone) {
    throw validationFailed('Only an email address or phone number should be provided on login.')
  }
  if (phone) throw new GoTrueError(422, 'phone_provider_disabled', 'Phone logins are disabled')
  if (!email) throw validationFailed('missing email or phone')
  if (!context.settings.isEmailEnabled) {
    throw new GoTrueError(422, 'email_provider_disabled', 'Email logins are disabled')
  }
  const owner = context.users.byEmail(email)
  if (owner !== null && owner.passwordHash !== null && isBanned(owner.profile, context.now())) {
    throw new GoTrueError(400, 'user_banned', 'User is banned')
  }
  const isRight = await isPasswordOf(password ?? '', owner?.passwordHash ?? null, context.settings.passwordCost)
  if (owner === null || !isRight) throw invalidCredentials()
  const { user, session } = inTransaction(context.database, () => {
    // The user may have changed during the password check.
    const user = context.users.byId(owner.profile.id)
    if (user === null || user.passwordHash !== owner.passwordHash) throw invalidCredentials()
    if (user.profile.email_confirmed_at === undefined) {
      throw new GoTrueError(400, 'email_not_confirmed', 'Email not confirmed')
    }
    return { user, session: startSession(context, user, 'password') }
  })
  const weakness = findWeakness(password ?? '', context.settings.minimumPasswordLength)
  return { ...(await issueSession(context, user, session)), ...(weakness && { weak_password: weakness }) }
}

async function grantByRefreshToken(context: IdentityContext, requestBody: unknown): Promise<WireSession> {
  const { refresh_token: token } = readBody(RefreshTokenGrant, requestBody)
  if (!token) throw new OAuthError('invalid_request', 'refresh_token required')
  const refreshed = inTransaction(context.database, () => refreshSession(context, token))
  if (refreshed === null) {
    throw new GoTrueError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  return issueSession(context, refreshed.user, refreshed.session)
}

/** @returns null if the token was used before; then the session has ended */
function refreshSession(context: IdentityContext, token: string): { user: StoredUser; session: StoredSession } | null {
  const content = decodeRefreshToken(token)
  const session = content && context.sessions.byId(content.sessionId)
  const user = session && context.users.byId(session.userId)
  if (!content || !session || !user || !isRefreshTokenOf(token, session.refreshKey)) {
    throw new GoTrueError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
  }
  const now = context.now()
  if (isBanned(user.profile, now)) throw new GoTrueError(400, 'user_banned', 'Invalid Refresh Token: User Banned')
  const decision = decideRefresh({
    activeCounter: session.refreshCounter,
    presentedCounter: content.counter,
    sinceLastRefreshMs: now - session.refreshedMs,
    reuseIntervalMs: context.settings.refreshReuseIntervalMs
  })
  if (decision === 'not_issued') throw validationFailed('Invalid Refresh Token: Not Issued By This Server')
  if (decision === 'end_session') {
    context.sessions.remove(session.id)
    return null
  }
  if (decision === 'rotate') session.refreshCounter += 1
  session.refreshedMs = now
  context.sessions.update(session)
  return { user, session }
}

function invalidCredentials(): GoTrueError {
  return new GoTrueError(400, 'invalid_credentials', 'Invalid login credentials')
}
