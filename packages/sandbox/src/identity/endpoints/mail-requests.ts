import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../../open-sqlite.ts'
import { checkEmail } from '../accounts/check-credentials.ts'
import type { IdentityContext } from '../context.ts'
import { GoTrueError, validationFailed } from '../errors.ts'
import { redirectTarget } from '../http/redirect-target.ts'
import { codeChallenge, Flag, JsonObject, readBody, refusePkce, Text } from '../http/request-body.ts'
import { mailEmailChange, mailToken } from '../mail/request-mail.ts'
import type { StoredUser } from '../store/users.ts'
import { signUp } from './signup.ts'

const Recover = Type.Object({ email: Text, ...codeChallenge })
const Resend = Type.Object({ type: Text, email: Text, phone: Text, ...codeChallenge })
const Otp = Type.Object({ email: Text, phone: Text, create_user: Flag, data: JsonObject, ...codeChallenge })

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
