import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../open-sqlite.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { checkEmail } from './passwords.ts'
import { readBody, redirectTarget, Text } from './request-body.ts'
import { issueSession, startSession } from './session.ts'
import type { OneTimeToken, TokenKind } from './token-store.ts'
import { hashOneTimePassword } from './totp.ts'
import type { StoredSession, StoredUser } from './user-store.ts'
import { confirmEmail, isBanned, rewriteProviders, saveUser, updateEmailIdentity } from './users.ts'

const kindsOfType: Record<string, readonly TokenKind[]> = {
  email: ['confirmation', 'recovery'],
  signup: ['confirmation'],
  invite: ['confirmation'],
  recovery: ['recovery'],
  magiclink: ['recovery'],
  email_change: ['email_change_new', 'email_change_current']
}

const Verify = Type.Object({ type: Text, token: Text, token_hash: Text, email: Text, phone: Text, redirect_to: Text })

const linkRefusal = 'Email link is invalid or has expired'
const codeRefusal = 'Token has expired or is invalid'
const halfConfirmed = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** `GET /verify`: the link of a mail. Redirects (303) to the target, with a session or an error in the fragment. */
export function registerVerifyLink(app: FastifyInstance, context: IdentityContext): void {
  app.get('/verify', async (request, reply) => {
    const { token, type } = request.query as Record<string, unknown>
    if (typeof type !== 'string' || type === '') throw validationFailed('Verify requires a verification type')
    if (typeof token !== 'string' || token === '') throw validationFailed('Verify requires a token or a token hash')
    const fragment = await verifyLink(context, type, token)
    const target = new URL(redirectTarget(request, context.settings))
    // Go encodes a form with sorted keys. `sb` marks the fragment as GoTrue's.
    target.hash = new URLSearchParams(Object.entries({ ...fragment, sb: '' }).sort()).toString()
    return reply.redirect(target.href, 303)
  })
}

async function verifyLink(context: IdentityContext, type: string, tokenHash: string): Promise<Record<string, string>> {
  try {
    const verification = inTransaction(context.database, () => verifyToken(context, type, tokenHash, linkRefusal))
    if (!verification.isSignedIn) return { message: halfConfirmed }
    const session = await issueSession(context, verification.user, verification.session)
    return {
      access_token: session.access_token,
      expires_at: String(session.expires_at),
      expires_in: String(session.expires_in),
      refresh_token: session.refresh_token,
      token_type: session.token_type,
      type
    }
  } catch (error) {
    if (!(error instanceof GoTrueError)) throw error
    return {
      error: error.status === 403 ? 'access_denied' : 'invalid_request',
      error_code: error.code,
      error_description: error.message
    }
  }
}

/** `POST /verify` with a `token_hash`, or with `email` and `token`. Answers with a session. */
export function registerVerify(app: FastifyInstance, context: IdentityContext): void {
  app.post('/verify', async (request) => {
    const verification = verifyPosted(context, request)
    if (!verification.isSignedIn) return { msg: halfConfirmed, code: '200' }
    return issueSession(context, verification.user, verification.session)
  })
}

function verifyPosted(context: IdentityContext, request: FastifyRequest): Verification {
  const { type, token, token_hash: tokenHash, email, phone, redirect_to } = readBody(Verify, request.body)
  if (!type) throw validationFailed('Verify requires a verification type')
  if (Boolean(token) === Boolean(tokenHash)) {
    throw validationFailed('Verify requires either a token or a token hash')
  }
  const verify = (hash: string, refusal: string) =>
    inTransaction(context.database, () => verifyToken(context, type, hash, refusal))
  if (tokenHash) {
    if (email || phone || redirect_to) throw validationFailed('Only the token_hash and type should be provided')
    return verify(tokenHash, linkRefusal)
  }
  if (!email || phone) {
    throw validationFailed('Only an email address or phone number should be provided on verify')
  }
  return verify(hashOneTimePassword(checkEmail(email), token ?? ''), codeRefusal)
}

type Verification =
  | { isSignedIn: true; user: StoredUser; session: StoredSession }
  /** The first of the two mails of an address change was confirmed. */
  | { isSignedIn: false }

/**
 * Consumes a mailed token and signs its user in.
 *
 * @param refusal the message for a token that is wrong, used or expired
 * @throws GoTrueError 403 `otp_expired`, `user_banned`; 400 `validation_failed` for an unknown type
 */
function verifyToken(context: IdentityContext, type: string, tokenHash: string, refusal: string): Verification {
  const { oneTimeTokens, users, settings, now } = context
  const kinds = kindsOfType[type]
  if (kinds === undefined) throw validationFailed('Invalid email verification type')
  const token = oneTimeTokens.find(tokenHash, kinds)
  const user = token === null ? null : users.byId(token.userId)
  if (token === null || user === null) throw new GoTrueError(403, 'otp_expired', refusal)
  if (isBanned(user.profile, now())) throw new GoTrueError(403, 'user_banned', 'User is banned')
  if (now() > token.createdMs + settings.otpLifetimeMs) throw new GoTrueError(403, 'otp_expired', refusal)
  if (!applyToken(context, user, token)) return { isSignedIn: false }
  rewriteProviders(user)
  return { isSignedIn: true, user, session: startSession(context, user, 'otp') }
}

/** @returns false if a second token is needed, too */
function applyToken(context: IdentityContext, user: StoredUser, { kind }: OneTimeToken): boolean {
  if (kind === 'confirmation') {
    confirmEmail(context, user)
    updateEmailIdentity(user, { email_verified: true })
    return true
  }
  if (kind === 'recovery') {
    context.oneTimeTokens.removeOfUser(user.profile.id)
    if (user.profile.email_confirmed_at === undefined) confirmEmail(context, user)
    return true
  }
  return applyEmailChange(context, user, kind)
}

function applyEmailChange(context: IdentityContext, user: StoredUser, kind: TokenKind): boolean {
  const { profile } = user
  if (!user.isEmailChangeHalfConfirmed) {
    user.isEmailChangeHalfConfirmed = true
    context.oneTimeTokens.remove(profile.id, kind)
    saveUser(context, user)
    return false
  }
  const email = profile.new_email ?? profile.email
  updateEmailIdentity(user, { email, email_verified: true })
  profile.email = email
  delete profile.new_email
  user.isEmailChangeHalfConfirmed = false
  context.oneTimeTokens.removeOfUser(profile.id)
  if (profile.email_confirmed_at === undefined) confirmEmail(context, user)
  return true
}
