import { hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ResetPasswordRequest, ResetPasswordResponse, type User } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { By } from '../audit/record-audit.ts'
import { endSessions } from '../callers/sessions.ts'
import { databaseTime } from '../clocks/clock.ts'
import { passwordResets } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { IdentityUser } from '../identity/identity.ts'
import { adoptUser, readPlanMark } from '../users/adopt-user.ts'
import { type Addressed, hasProof, isOurUser, linkRetryMs, noteProved } from '../users/proof.ts'
import type { AuthContext } from './auth-context.ts'
import { checkNewPassword } from './credentials-form.ts'
import { ownGuesses } from './own-password.ts'
import { awaitRevocations, isPasswordUnchanged, revokeOldAccess } from './revoke-old-access.ts'
import { signIn } from './sign-in.ts'

/**
 * `POST /reset-password`: sets a new password with the token of a mailed link. All the user's sessions end, and their
 * management keys are revoked; with `revoke_keys`, their inference keys too. With `sign_in` it then signs the user in.
 *
 * A second factor stays on: the next sign-in needs its code and the new password, also with `sign_in`.
 *
 * The link proves the address together with the new password. If the address was not proved before, `revoke_keys` is
 * true by default.
 */
export function resetPassword(app: TypedApp, context: AuthContext): void {
  const { identity, database, projector, clock, limits, guesses } = context
  app.post(
    '/reset-password',
    {
      preHandler: createRateLimitHook(app, { what: 'reset-password', perMinute: limits.resetPassword }),
      schema: {
        operationId: 'resetPassword',
        summary: 'Set a new password with the token of a mailed link',
        description:
          'Ends all sessions of the user and revokes their management keys. With `revoke_keys` it revokes their inference keys too; that is the default if the address was not confirmed before. The user’s keys are all keys of their own account and, in a team, the keys that they created. A second factor stays on. With `sign_in`, the call also signs the user in and answers with `user`, unless a second factor is on.',
        isLimited: true,
        errors: [
          'weak_password',
          'link_invalid',
          'registration_closed',
          'address_not_allowed',
          'identity_unavailable',
          'revocation_pending'
        ],
        body: ResetPasswordRequest,
        response: answers({ 200: ResetPasswordResponse })
      }
    },
    async (request, reply) => {
      const { body, ip } = request
      const { needsApproval } = context.signupPolicy
      checkNewPassword(body.password, context.minPasswordLength)
      const deadline = identity.startDeadline()
      const mailed =
        'token_hash' in body
          ? await acceptLink(context, body.token_hash, ip, deadline)
          : await identity.acceptLinkSession(body.access_token, ip, deadline)
      if (mailed === null) throw new ServiceError('link_invalid')
      // The link proves the address it was mailed to. The user may have another address by now.
      if (!hasAddress(await identity.findUser(mailed.id, deadline), mailed)) throw new ServiceError('link_invalid')
      const userId = mailed.id
      const isNew = !(await isOurUser(database.orm, userId))
      if (isNew) await context.signupPolicy.assertMayBegin(database.orm, mailed.email, clock())
      const wasProved = await hasProof(database.orm, mailed)
      // Also before the change: if control fails after it, nobody stays signed in with the old password.
      await database.orm.transaction((tx) => endSessions(tx, userId))
      // Somebody else may have registered this address first, and set these up.
      if (isNew) await identity.clearSecondFactors(userId, deadline)
      const planMark = await readPlanMark(database.orm, userId)
      const user = await identity.setPassword(userId, body.password, deadline)
      if (!hasAddress(user, mailed)) throw new ServiceError('link_invalid')
      const by: By = { actorId: userId, ip, at: clock() }
      const { isAccountChanged, revoked } = await database.orm.transaction(async (tx) => {
        const { isOurs, isAccountChanged } = await adoptUser(tx, context, userId, user, by.at, {
          needsApproval,
          planMark
        })
        if (!isOurs) throw new ServiceError('link_invalid')
        await noteProved(tx, mailed)
        const revoked = await revokeOldAccess(tx, userId, body.revoke_keys ?? !wasProved, by)
        return { isAccountChanged, revoked }
      })
      await Promise.all([guesses.forget(mailed.email), guesses.forget(ownGuesses(userId))])
      if (isAccountChanged) await projector.accountChanged(userId)
      const signedIn = body.sign_in === true ? await signInAfterReset(context, request, reply, user, deadline) : null
      await awaitRevocations(projector, revoked)
      return { ok: true as const, ...(signedIn !== null && { user: signedIn }) }
    }
  )
}

/** Whether the user still exists at the provider, with the address that the link was mailed to. */
const hasAddress = (user: IdentityUser | null, { email }: Addressed): user is IdentityUser =>
  user !== null && foldCase(user.email) === foldCase(email)

/** @returns the link's user and the address it was mailed to; null if the link is invalid, used or expired */
async function acceptLink(
  { identity, database, clock }: AuthContext,
  token: string,
  from: string,
  deadline: AbortSignal
): Promise<Addressed | null> {
  const { orm } = database
  const now = clock()
  const tokenHash = hash('sha256', token, 'hex')
  const [begun] = await orm
    .select({ id: passwordResets.userId, email: passwordResets.email })
    .from(passwordResets)
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.endsAt, now)))
  if (begun !== undefined) return begun.email === null ? null : { id: begun.id, email: begun.email }
  const user = await identity.acceptRecovery(token, from, deadline)
  if (user === null) return null
  await orm.delete(passwordResets).where(lte(passwordResets.endsAt, now))
  const endsAt = new Date(now.getTime() + linkRetryMs)
  await orm
    .insert(passwordResets)
    .values({ tokenHash, userId: user.id, email: foldCase(user.email), endsAt })
    .onConflictDoNothing()
  return user
}

/**
 * Signs in a user who has just set a password with a mailed link, as that password would. A second factor needs its
 * code, so its user signs in on the usual page. So does a user whom a failure keeps out here: the password is set in
 * any case.
 *
 * @returns null if no session was opened
 */
async function signInAfterReset(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  user: IdentityUser,
  deadline: AbortSignal
): Promise<User | null> {
  const { identity, database, clock } = context
  try {
    const setBefore = await databaseTime(database.orm)
    // Asked after the old password has ended: nobody can turn a second factor on with it any more.
    if (user.isBanned || (await identity.hasSecondFactor(user.id, deadline))) return null
    const answer = await signIn(context, request, reply, {
      user,
      now: clock(),
      isByMail: true,
      decide: async (tx, isOurs) => {
        // Another link may have set another password, or the user may be deleted by now.
        if (!isOurs || !(await isPasswordUnchanged(tx, user.id, setBefore))) throw new ServiceError('link_invalid')
      }
    })
    return answer.user
  } catch (err) {
    if (!(err instanceof ServiceError)) throw err
    request.log.info({ code: err.code, userId: user.id }, 'a user set a password, but was not signed in')
    return null
  }
}
