import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../../open-sqlite.ts'
import { checkEmail, checkNewPassword } from '../accounts/check-credentials.ts'
import { newSignUp } from '../accounts/new-user.ts'
import { hashPassword } from '../accounts/password-hash.ts'
import type { IdentityContext } from '../context.ts'
import { GoTrueError, validationFailed } from '../errors.ts'
import { redirectTarget } from '../http/redirect-target.ts'
import { codeChallenge, JsonObject, readBody, refusePkce, Text } from '../http/request-body.ts'
import { mailToken } from '../mail/request-mail.ts'
import type { Metadata, WireUser } from '../wire.ts'

const SignUp = Type.Object({ email: Text, phone: Text, password: Text, data: JsonObject, ...codeChallenge })

/** `POST /signup`. The answer is a user without a session, since the address must be confirmed. */
export function registerSignUp(app: FastifyInstance, context: IdentityContext): void {
  app.post('/signup', async (request) => {
    const body = readBody(SignUp, request.body)
    if (!body.email && !body.phone) {
      throw new GoTrueError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
    }
    if (!body.password) throw validationFailed('Signup requires a valid password')
    checkNewPassword(body.password, context.settings.minimumPasswordLength)
    if (body.email && body.phone) {
      throw validationFailed('Only an email address or phone number should be provided on signup.')
    }
    refusePkce(body)
    if (!body.email) throw new GoTrueError(400, 'phone_provider_disabled', 'Phone signups are disabled')
    const email = checkEmail(body.email)
    return signUp(
      context,
      email,
      await hashPassword(body.password, context.settings.passwordCost),
      body.data ?? {},
      redirectTarget(request, context.settings)
    )
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
