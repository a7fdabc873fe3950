import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ConfirmQuery, ConfirmRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type By, recordAudit } from '../audit/record-audit.ts'
import { databaseTime } from '../clocks/clock.ts'
import { foldCase } from '../http/fold-case.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AskCode, IdentityUser } from '../identity/identity.ts'
import type { RevokedKey } from '../keys/revoke-key.ts'
import {
  type Addressed,
  findAcceptedLink,
  hasProof,
  isOurUser,
  noteAcceptedLink,
  noteConfirmed
} from '../users/proof.ts'
import type { AuthContext } from './auth-context.ts'
import { checkNewPassword } from './credentials-form.ts'
import { registrationCookie, registrationCookieAttributes } from './registration-cookie.ts'
import { awaitRevocations, isPasswordUnchanged, revokeOldAccess } from './revoke-old-access.ts'
import { signIn } from './sign-in.ts'

/** The dashboard pages that ask for a password, by link type. */
const pages: ReadonlyMap<string, string> = new Map([
  ['signup', '/confirm'],
  ['email', '/confirm'],
  ['recovery', '/reset-password'],
  ['invite', '/accept-invitation']
])

/**
 * `GET /confirm?token_hash&type`: the link in a mail. It redirects to a page and changes nothing, because mail scanners
 * open links too. The token goes into the fragment of the page's address: browsers send fragments to no server.
 */
export function confirmLink(app: TypedApp): void {
  app.get(
    '/confirm',
    {
      schema: {
        operationId: 'openMailedLink',
        summary: 'Open the link in a mail',
        description:
          'Redirects to the page that asks for the password, with the token in the fragment. Changes nothing.',
        querystring: ConfirmQuery,
        response: answers({ 303: Type.Null() })
      }
    },
    async (request, reply) => {
      const { token_hash: tokenHash = '', type = '' } = request.query
      const page = pages.get(type)
      if (page === undefined || tokenHash === '') return reply.redirect('/login?error=link_invalid', 303)
      return reply.redirect(`${page}#${new URLSearchParams({ token_hash: tokenHash, type })}`, 303)
    }
  )
}

/**
 * `POST /confirm`: proves an address and its password together, and signs in. The mailed link proves the address. The
 * password must be the stored one, or the answer is 409 `password_mismatch`. With `set`, it replaces the stored one.
 * The browser that registered the address may have the password in a cookie: see registration-cookie.ts. A user with a
 * second factor also needs its code, and cannot use `set`: a link must not replace both.
 *
 * The first call uses up the link at the provider. Control accepts the same link for ten more minutes, but only until
 * it has signed the user in.
 */
export function confirm(app: TypedApp, context: AuthContext): void {
  const { identity, database, projector, clock, limits, codes, publicUrl } = context
  app.post(
    '/confirm',
    {
      preHandler: createRateLimitHook(app, { what: 'confirm', perMinute: limits.confirm, subjectOf: linkOf }),
      schema: {
        operationId: 'confirm',
        summary: 'Confirm an address with its password, and sign in',
        description:
          'Takes the token of the mailed link, or the access token in the fragment of a link of Supabase’s own templates. The password must be the stored one; with `set` it replaces the stored one, and all sessions end. The browser that registered with `remember` need not send it. A user with a second factor also needs `code`, and cannot use `set`. After a failure the same link works for ten more minutes. Sets the session cookie.',
        isLimited: true,
        errors: [
          'link_invalid',
          'registration_closed',
          'address_not_allowed',
          'password_mismatch',
          'weak_password',
          'second_factor_required',
          'invalid_code',
          'second_factor_unavailable',
          'identity_unavailable',
          'revocation_pending'
        ],
        body: ConfirmRequest,
        response: answers({ 200: UserResponse })
      }
    },
    async (request, reply) => {
      const { body, ip, headers } = request
      const { code, set: isReplacing = false } = body
      const kept = body.password === undefined ? context.registrations.read(headers.cookie, clock()) : null
      const password = body.password ?? kept?.password
      // The link must still work for somebody who enters the password next.
      if (password === undefined || (kept !== null && isReplacing)) {
        throw new ServiceError('invalid_request', { message: 'Enter the password.' })
      }
      if (isReplacing) checkNewPassword(password, context.minPasswordLength)
      const deadline = identity.startDeadline()
      const proved = await acceptLink(context, body, ip, deadline)
      if (proved === null) throw new ServiceError('link_invalid')
      // The browser has registered another address since.
      if (kept !== null && foldCase(kept.email) !== foldCase(proved.email)) throw new ServiceError('password_mismatch')
      if (!(await isOurUser(database.orm, proved.id))) {
        await context.signupPolicy.assertMayBegin(database.orm, proved.email, clock())
      }
      const wasProved = await hasProof(database.orm, proved)
      const checkedAt = await databaseTime(database.orm)
      const user = isReplacing
        ? await replacePassword(context, proved, password, deadline)
        : await checkPassword(context, proved, { password, from: ip, askCode: codes.ask(request, code) }, deadline)
      const by: By = { actorId: user.id, ip, at: clock() }
      let revoked: readonly RevokedKey[] = []
      const answer = await signIn(context, request, reply, {
        user,
        now: by.at,
        isByMail: true,
        decide: async (tx, isOurs) => {
          if (!isOurs) throw new ServiceError('link_invalid')
          if (!wasProved) await recordAudit(tx, { accountId: user.id, ...by, action: 'auth.address_confirmed' })
          if (isReplacing) revoked = await revokeOldAccess(tx, user.id, !wasProved, by)
          else if (!(await isPasswordUnchanged(tx, user.id, checkedAt))) throw new ServiceError('password_mismatch')
        }
      })
      // A replaced password has already ended this session.
      if ('access_token' in body && !isReplacing) await identity.endSession(body.access_token, deadline)
      reply.clearCookie(registrationCookie(publicUrl), registrationCookieAttributes(publicUrl))
      await awaitRevocations(projector, revoked)
      return answer
    }
  )
}

const cannotReplace = 'This account has a second factor. Enter the current password, or request a password reset mail.'

/** The token of a mailed link. Attempts are counted per token. */
function linkOf({ body }: FastifyRequest): string {
  const link = body as ConfirmRequest
  return 'token_hash' in link ? link.token_hash : link.access_token
}

/** @returns null if the link is invalid, used or expired */
async function acceptLink(
  { identity, database, clock }: AuthContext,
  link: ConfirmRequest,
  from: string,
  deadline: AbortSignal
): Promise<Addressed | null> {
  const { orm } = database
  const now = clock()
  if (!('token_hash' in link)) {
    const user = await identity.acceptLinkSession(link.access_token, from, deadline)
    if (user !== null) await noteConfirmed(orm, user, now)
    return user
  }
  const begun = await findAcceptedLink(orm, link.token_hash, now)
  if (begun !== null) return begun
  const user = await identity.confirm(link.token_hash, link.type, from, deadline)
  // Another request may just have used the link.
  if (user === null) return findAcceptedLink(orm, link.token_hash, now)
  await noteAcceptedLink(orm, user, link.token_hash, now)
  return user
}

/**
 * @throws ServiceError like `Identity.signIn`, but `password_mismatch` for a wrong password; `link_invalid` if another
 *   user
 * has the address now
 */
async function checkPassword(
  { identity }: AuthContext,
  { id, email }: Addressed,
  { password, from, askCode }: { password: string; from: string; askCode: AskCode },
  deadline: AbortSignal
): Promise<IdentityUser> {
  try {
    const user = await identity.signIn(email, password, from, deadline, askCode)
    if (user.id === id && foldCase(user.email) === foldCase(email)) return user
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_credentials') throw error
    throw new ServiceError('password_mismatch', { cause: error })
  }
  throw new ServiceError('link_invalid')
}

/**
 * Sets the password at the provider, which ends all sessions there.
 *
 * Once the address is confirmed, anyone with the first password can sign in at the provider itself and change the
 * address there. Then the link no longer proves anything.
 *
 * @throws ServiceError `weak_password`, `link_invalid`; `password_mismatch` for a user with a second factor
 */
async function replacePassword(
  { identity, database }: AuthContext,
  { id, email }: Addressed,
  password: string,
  deadline: AbortSignal
): Promise<IdentityUser> {
  const seen = await identity.findUser(id, deadline)
  if (seen === null || seen.isBanned || foldCase(seen.email) !== foldCase(email)) {
    throw new ServiceError('link_invalid')
  }
  // Somebody else may have registered this address first, and set these up.
  if (!(await isOurUser(database.orm, id))) await identity.clearSecondFactors(id, deadline)
  if (await identity.hasSecondFactor(id, deadline)) {
    throw new ServiceError('password_mismatch', { message: cannotReplace })
  }
  const user = await identity.setPassword(id, password, deadline)
  if (user === null || foldCase(user.email) !== foldCase(email)) throw new ServiceError('link_invalid')
  return user
}
