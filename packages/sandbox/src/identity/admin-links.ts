import type { GenerateLinkProperties } from '@supabase/supabase-js'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { inTransaction } from '../open-sqlite.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { checkEmail, checkNewPassword, hashPassword } from './passwords.ts'
import { isRedirectAllowed, JsonObject, readBody, redirectTarget, Text } from './request-body.ts'
import { grantToken, mailToken, verificationLink } from './request-mail.ts'
import { newOneTimePassword } from './totp.ts'
import { duplicateEmail } from './user.ts'
import type { StoredUser } from './user-store.ts'
import { mergeMetadata, newSignUp, newUser, saveUser } from './users.ts'
import type { Metadata, WireUser } from './wire.ts'

const GenerateLink = Type.Object({
  type: Text,
  email: Text,
  new_email: Text,
  password: Text,
  data: JsonObject,
  redirect_to: Text
})
type GenerateLink = Static<typeof GenerateLink>

const Invite = Type.Object({ email: Text, data: JsonObject })

type LinkType = GenerateLinkProperties['verification_type']
const linkTypes: readonly string[] = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new'
] satisfies LinkType[]

type GeneratedLink = WireUser & GenerateLinkProperties

/** `POST /admin/generate_link` and `/invite`, for administrators. */
export function registerAdminLinks(app: FastifyInstance, context: IdentityContext): void {
  app.post('/admin/generate_link', async (request): Promise<GeneratedLink> => {
    const body = readBody(GenerateLink, request.body)
    const email = checkEmail(body.email ?? '')
    const wanted = body.redirect_to ?? ''
    const redirectTo = isRedirectAllowed(wanted, context.settings) ? wanted : redirectTarget(request, context.settings)
    const type = typeFor(body.type ?? '', context.users.byEmail(email))
    const passwordHash = await hashForSignUp(context, type, body, email)
    return inTransaction(context.database, () => {
      const user = userForLink(context, type, email, passwordHash, body.data ?? {})
      const { code, tokenHash, link } =
        type === 'email_change_current' || type === 'email_change_new'
          ? grantEmailChange(context, user, type, checkEmail(body.new_email ?? ''), redirectTo)
          : grantToken(context, user, type, redirectTo)
      return {
        ...user.profile,
        action_link: link,
        email_otp: code,
        hashed_token: tokenHash,
        verification_type: type,
        redirect_to: redirectTo
      }
    })
  })

  app.post('/invite', async (request) => {
    const body = readBody(Invite, request.body)
    const email = checkEmail(body.email ?? '')
    const redirectTo = redirectTarget(request, context.settings)
    return inTransaction(context.database, () => {
      const user = userForLink(context, 'invite', email, null, body.data ?? {})
      mailToken(context, user, 'invite', redirectTo)
      return user.profile
    })
  })
}

/** A magic link for an unknown address becomes a sign-up. */
function typeFor(type: string, user: StoredUser | null): LinkType {
  if (!isLinkType(type)) throw validationFailed(`Invalid email action link type requested: ${type}`)
  return type === 'magiclink' && user === null ? 'signup' : type
}

function isLinkType(type: string): type is LinkType {
  return linkTypes.includes(type)
}

async function hashForSignUp(
  { users, settings }: IdentityContext,
  type: LinkType,
  body: GenerateLink,
  email: string
): Promise<string | null> {
  if (type !== 'signup' || body.type === 'magiclink' || users.byEmail(email) !== null) return null
  if (!body.password) throw validationFailed('Signup requires a valid password')
  checkNewPassword(body.password, settings.minimumPasswordLength)
  return hashPassword(body.password, settings.passwordCost)
}

/** Finds the user of the link. Sign-ups and invitations create one. */
function userForLink(
  context: IdentityContext,
  type: LinkType,
  email: string,
  passwordHash: string | null,
  data: Metadata
): StoredUser {
  const existing = context.users.byEmail(email)
  if (type !== 'signup' && type !== 'invite') {
    if (existing === null) throw new GoTrueError(404, 'user_not_found', 'User with this email not found')
    return existing
  }
  if (existing === null) {
    // The identity of an invited user does not get the data, as in GoTrue (internal/api/invite.go).
    const user =
      type === 'invite'
        ? newUser({ email, passwordHash, userMetadata: { ...data } }, context.now())
        : newSignUp(email, passwordHash, data, context.now())
    context.users.insert(user)
    return user
  }
  if (existing.profile.email_confirmed_at !== undefined) throw duplicateEmail()
  if (type === 'signup') existing.profile.user_metadata = mergeMetadata(existing.profile.user_metadata, data)
  return existing
}

function grantEmailChange(
  context: IdentityContext,
  user: StoredUser,
  kind: 'email_change_current' | 'email_change_new',
  newEmail: string,
  redirectTo: string
) {
  const { profile } = user
  if (newEmail !== profile.email && context.users.byEmail(newEmail) !== null) throw duplicateEmail()
  const now = context.now()
  const password = newOneTimePassword(kind === 'email_change_new' ? newEmail : profile.email)
  context.oneTimeTokens.replace(profile.id, kind, password.tokenHash, now)
  profile.new_email = newEmail
  profile.email_change_sent_at = new Date(now).toISOString()
  user.isEmailChangeHalfConfirmed = false
  saveUser(context, user)
  return { ...password, link: verificationLink(context, password.tokenHash, 'email_change', redirectTo) }
}
