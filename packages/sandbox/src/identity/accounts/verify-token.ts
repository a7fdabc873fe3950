import type { IdentityContext } from '../context.ts'
import { GoTrueError, validationFailed } from '../errors.ts'
import type { OneTimeToken, TokenKind } from '../store/one-time-tokens.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { StoredUser } from '../store/users.ts'
import { isBanned } from './ban.ts'
import { confirmEmail, rewriteProviders, saveUser, updateEmailIdentity } from './change-user.ts'
import { startSession } from './session.ts'

const kindsOfType: Record<string, readonly TokenKind[]> = {
  email: ['confirmation', 'recovery'],
  signup: ['confirmation'],
  invite: ['confirmation'],
  recovery: ['recovery'],
  magiclink: ['recovery'],
  email_change: ['email_change_new', 'email_change_current']
}

export type Verification =
  | { isSignedIn: true; user: StoredUser; session: StoredSession }
  /** The first of the two mails of an address change was confirmed. */
  | { isSignedIn: false }

/**
 * Consumes a mailed token and signs its user in.
 *
 * @param refusal the message for a token that is wrong, used or expired
 * @throws GoTrueError 403 `otp_expired`, `user_banned`; 400 `validation_failed` for an unknown type
 */
export function verifyToken(context: IdentityContext, type: string, tokenHash: string, refusal: string): Verification {
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
