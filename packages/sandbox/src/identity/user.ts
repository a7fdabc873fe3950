import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { inTransaction } from '../open-sqlite.ts'
import { findSignedIn, requireUser } from './authenticate.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { checkEmail, checkNewPassword, hashPassword, isPasswordOf } from './passwords.ts'
import { codeChallenge, JsonObject, readBody, redirectTarget, refusePkce, Text } from './request-body.ts'
import { mailEmailChange } from './request-mail.ts'
import { hasVerifiedFactor } from './user-factors.ts'
import { mergeMetadata, saveUser, setPassword } from './users.ts'
import type { WireUser } from './wire.ts'

const UserUpdate = Type.Object({
  email: Text,
  phone: Text,
  password: Text,
  data: JsonObject,
  app_metadata: JsonObject,
  ...codeChallenge
})

export const duplicateEmail = () =>
  new GoTrueError(422, 'email_exists', 'A user with this email address has already been registered')

/** `GET /user`, `PUT /user` and `POST /logout`, with a user's access token. */
export function registerUser(app: FastifyInstance, context: IdentityContext): void {
  app.get('/user', async (request) => {
    const { user } = await requireUser(context, request)
    return user.profile
  })

  app.put('/user', async (request) => {
    const { user, session } = await requireUser(context, request)
    const body = readBody(UserUpdate, request.body)
    const email = body.email ? checkEmail(body.email) : null
    refusePkce(body)
    if (body.phone) throw new GoTrueError(400, 'phone_provider_disabled', 'Unsupported phone provider')
    const passwordHash = await hashNewPassword(context, user.passwordHash, body.password)
    if (body.app_metadata) {
      throw new GoTrueError(403, 'not_admin', 'Updating app_metadata requires admin privileges')
    }
    const change = {
      email,
      passwordHash,
      data: body.data ?? null,
      redirectTo: redirectTarget(request, context.settings)
    }
    return changeOwnUser(context, user.profile.id, session?.id ?? null, change)
  })

  app.post('/logout', async (request, reply) => {
    const { user, session } = await requireUser(context, request)
    const { scope = 'global' } = request.query as Record<string, unknown>
    if (scope === 'local' && session !== null) context.sessions.remove(session.id)
    else if (scope === 'others' && session !== null) context.sessions.removeOfUser(user.profile.id, session.id)
    else if (scope === 'global' || scope === '' || scope === 'local' || scope === 'others') {
      context.sessions.removeOfUser(user.profile.id, null)
    } else throw validationFailed(`Unsupported logout scope ${JSON.stringify(scope)}`)
    return reply.code(204).send()
  })
}

async function hashNewPassword(
  { settings }: IdentityContext,
  current: string | null,
  password: string | null | undefined
): Promise<string | null> {
  if (password === undefined || password === null) return null
  checkNewPassword(password, settings.minimumPasswordLength)
  if (await isPasswordOf(password, current, settings.passwordCost)) {
    throw new GoTrueError(422, 'same_password', 'New password should be different from the old password.')
  }
  return hashPassword(password, settings.passwordCost)
}

interface OwnChange {
  email: string | null
  passwordHash: string | null
  data: Record<string, unknown> | null
  redirectTo: string
}

function changeOwnUser(
  context: IdentityContext,
  userId: string,
  sessionId: string | null,
  { email, passwordHash, data, redirectTo }: OwnChange
): WireUser {
  return inTransaction(context.database, () => {
    const { user, session } = findSignedIn(context, userId, sessionId)
    const { profile } = user
    // As in GoTrue (internal/api/user.go).
    if ((email !== null || passwordHash !== null) && hasVerifiedFactor(user) && session?.aal !== 'aal2') {
      const message = 'AAL2 session is required to update email or password when MFA is enabled.'
      throw new GoTrueError(401, 'insufficient_aal', message)
    }
    const isNewEmail = email !== null && email !== profile.email
    if (isNewEmail && context.users.byEmail(email) !== null) throw duplicateEmail()
    if (passwordHash !== null) setPassword(context, user, passwordHash, sessionId)
    if (data !== null) profile.user_metadata = mergeMetadata(profile.user_metadata, data)
    if (isNewEmail) mailEmailChange(context, user, email, redirectTo)
    saveUser(context, user)
    return profile
  })
}
