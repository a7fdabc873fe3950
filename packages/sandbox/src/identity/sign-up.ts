import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../open-sqlite.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { checkEmail, checkNewPassword, hashPassword } from './passwords.ts'
import { codeChallenge, Flag, JsonObject, readBody, redirectTarget, refusePkce, Text } from './request-body.ts'
import { mailEmailChange, mailToken } from './request-mail.ts'
import { issueSession, startSession } from './session.ts'
import type { StoredUser } from './user-store.ts'
import { confirmEmail, newSignUp } from './users.ts'
import type { Metadata, WireSession, WireUser } from './wire.ts'

const SignUp = Type.Object({ email: Text, phone: Text, password: Text, data: JsonObject, ...codeChallenge })
const Recover = Type.Object({ email: Text, ...codeChallenge })
const Resend = Type.Object({ type: Text, email: Text, phone: Text, ...codeChallenge })
const Otp = Type.Object({ email: Text, phone: Text, create_user: Flag, data: JsonObject, ...codeChallenge })

/**
 * `POST /signup`. The answer is a user without a session, since the address must be confirmed; with autoconfirm a
 * session.
 */
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

/** `POST /recover`, `/resend` and `/otp`: mails that a user requests. Unknown addresses also get `{}`. */
export function registerMailRequests(app: FastifyInstance, context: IdentityContext): void {
  const { settings, users, database } = context

  app.post('/recover', async (request) => {
    const body = readBody(Recover, request.body)
    if (!body.email) throw validationFailed('Password recovery requires an email')
    const email = checkEmail(body.email)
    refusePkce(body)
    inTransaction(database, () => {
      const user = users.byEmail(email)
      if (user !== null) mailToken(context, user, 'recovery', redirectTarget(request, settings))
    })
    return {}
  })

  app.post('/resend', async (request) => {
    const body = readBody(Resend, request.body)
    const email = checkResend(body)
    refusePkce(body)
    inTransaction(database, () => {
      const user = users.byEmail(email)
      if (user !== null) resend(context, user, body.type, redirectTarget(request, settings))
    })
    return {}
  })

  app.post('/otp', async (request) => {
    const body = readBody(Otp, request.body)
    refusePkce(body)
    if (body.phone) throw new GoTrueError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    if (!body.email) throw validationFailed('One of email or phone must be set')
    const email = checkEmail(body.email)
    const user = users.byEmail(email)
    if (user === null && body.create_user === false) {
      throw new GoTrueError(422, 'otp_disabled', 'Signups not allowed for otp')
    }
    const redirectTo = redirectTarget(request, settings)
    if (user?.profile.email_confirmed_at === undefined) signUp(context, email, null, body.data ?? {}, redirectTo)
    else inTransaction(database, () => mailToken(context, user, 'magiclink', redirectTo))
    return {}
  })
}

function checkResend({ type, email, phone }: { type?: string | null; email?: string | null; phone?: string | null }) {
  if (type !== 'signup' && type !== 'email_change' && type !== 'sms' && type !== 'phone_change') {
    throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change')
  }
  if (!email && type === 'signup') throw validationFailed('Type provided requires an email address')
  if (!phone && type === 'sms') throw validationFailed('Type provided requires a phone number')
  if (email && phone) throw validationFailed('Only an email address or phone number should be provided.')
  if (phone) throw new GoTrueError(400, 'phone_provider_disabled', 'Phone logins are disabled')
  if (!email) throw validationFailed('Missing email address or phone number')
  return checkEmail(email)
}

function resend(context: IdentityContext, user: StoredUser, type: string | null | undefined, redirectTo: string): void {
  const { profile } = user
  if (type === 'signup' && profile.email_confirmed_at === undefined) mailToken(context, user, 'signup', redirectTo)
  if (type === 'email_change' && profile.new_email !== undefined) {
    mailEmailChange(context, user, profile.new_email, redirectTo)
  }
}
