import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../../open-sqlite.ts'
import { confirmEmail } from '../accounts/change-user.ts'
import { checkEmail, checkNewPassword } from '../accounts/check-credentials.ts'
import { newSignUp } from '../accounts/new-user.ts'
import { hashPassword } from '../accounts/password-hash.ts'
import { issueSession, startSession } from '../accounts/session.ts'
import type { IdentityContext } from '../context.ts'
import { GoTrueError, validationFailed } from '../errors.ts'
import { redirectTarget } from '../http/redirect-target.ts'
import { codeChallenge, JsonObject, readBody, refusePkce, Text } from '../http/request-body.ts'
import { mailToken } from '../mail/request-mail.ts'
import type { Metadata, WireSession, WireUser } from '../wire.ts'

const SignUp = Type.Object({ email: Text, phone: Text, password: Text, data: JsonObject, ...codeChallenge })

/** `POST /signup`. The answer is a user without a session, since the address must be confirmed; with autoconfirm a session. */
export function registerSignUp(app: FastifyInstance, context: IdentityContext): void {
  app.post('/signup', async (request) => {
    const body = readBody(SignUp, request.body)
    const { settings } = context
    if (settings.isSignUpDisabled) {
      throw new GoTrueError(422, 'signup_disabled', 'Signups not allowed for this instance')
    }
    if (!body.email && !body.phone) {
      throw new GoTrueError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
    }
    if (!body.password) throw validationFailed('Signup requires a valid password')
    checkNewPassword(body.password, settings.minimumPasswordLength)
    if (body.email && body.phone) {
      throw validationFailed('Only an email address or phone number should be provided on signup.')
    }
    refusePkce(body)
    if (!body.email) throw new GoTrueError(400, 'phone_provider_disabled', 'Phone signups are disabled')
    if (!settings.isEmailEnabled) {
      throw new GoTrueError(400, 'email_provider_disabled', 'Email signups are disabled')
    }
    const email = checkEmail(body.email)
    const passwordHash = await hashPassword(body.password, settings.passwordCost)
    const data = body.data ?? {}
    if (settings.isAutoconfirm) return signUpConfirmed(context, email, passwordHash, data)
    return signUp(context, email, passwordHash, data, redirectTarget(request, settings))
  })
}

/**
 * Creates the user and mails a confirmation. An existing user keeps password and data, since the caller may not own the
 * address. If the address is confirmed, no mail is sent, and the answer does not reveal the user.
 *
 * @throws GoTrueError 429 `over_email_send_rate_limit`
 */
export function signUp(
  context: IdentityContext,
  email: string,
  passwordHash: string | null,
  data: Metadata,
  redirectTo: string
): WireUser {
  return inTransaction(context.database, () => {
    const existing = context.users.byEmail(email)
    if (existing?.profile.email_confirmed_at !== undefined) return obfuscatedUser(email, data, context.now())
    const user = existing ?? newSignUp(email, passwordHash, data, context.now())
    if (existing === null) context.users.insert(user)
    mailToken(context, user, 'signup', redirectTo)
    return user.profile.invited_at === undefined ? user.profile : { ...user.profile, user_metadata: {}, identities: [] }
  })
}

/** Creates the user with a confirmed address and signs in. @throws GoTrueError 422 `user_already_exists` */
async function signUpConfirmed(
  context: IdentityContext,
  email: string,
  passwordHash: string,
  data: Metadata
): Promise<WireSession> {
  const { user, session } = inTransaction(context.database, () => {
    const existing = context.users.byEmail(email)
    if (existing?.profile.email_confirmed_at !== undefined) {
      throw new GoTrueError(422, 'user_already_exists', 'User already registered')
    }
    const user = existing ?? newSignUp(email, passwordHash, data, context.now())
    if (existing === null) context.users.insert(user)
    confirmEmail(context, user)
    return { user, session: startSession(context, user, 'password') }
  })
  return issueSession(context, user, session)
}

/** The fake user that GoTrue returns if the address is taken. It differs only in its empty identities. */
function obfuscatedUser(email: string, data: Metadata, nowMs: number): WireUser {
  const { profile } = newSignUp(email, null, {}, nowMs)
  return {
    ...profile,
    id: randomUUID(),
    role: '',
    user_metadata: data,
    identities: [],
    confirmation_sent_at: profile.created_at
  }
}
