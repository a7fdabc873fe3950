import { hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, ResetPasswordRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { By } from '../accounts/suspend-account.ts'
import { passwordResets } from '../database/schema.ts'
import { limitAttempts } from '../http/attempts.ts'
import { foldCase } from '../http/fold-case.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { checkNewPassword } from './credentials-form.ts'
import type { AuthContext } from './endpoints.ts'
import type { IdentityUser } from './identity/identity.ts'
import { passwordWasMailed, untilRevoked } from './mailed-password.ts'
import { type Addressed, hasProof, isOurUser, linkRetryMs, noteProved } from './proof.ts'
import { adoptUser } from './reconcile/adopt-user.ts'
import { endSessions } from './sessions.ts'

/**
 * `POST /reset-password`: sets a new password with what the link of a mail led to. All of the user's sessions end, and
 * their management keys are revoked; with `revoke_keys` their inference keys too. Nobody is signed in by it.
 *
 * A second factor stays on: the next sign-in needs its code besides the new password.
 *
 * The link proves the address together with the new password. If they were not proved before, `revoke_keys` is true
 * unless the request says otherwise.
 */
export function resetPassword(app: TypedApp, context: AuthContext): void {
  const { identity, database, catalog, projector, clock, limits } = context
  app.post(
    '/reset-password',
    {
      preHandler: limitAttempts(app, { what: 'reset-password', perMinute: limits.resetPassword }),
      schema: { body: ResetPasswordRequest, response: answers({ 200: OkResponse }) }
    },
    async (request) => {
      const { body, ip } = request
      checkNewPassword(body.password)
      const limit = identity.startLimit()
      const mailed =
        'token_hash' in body
          ? await acceptLink(context, body.token_hash, ip, limit)
          : await identity.acceptLinkSession(body.access_token, ip, limit)
      if (mailed === null) throw new ServiceError('link_invalid')
      // The link proves the address it was mailed to. The user may have another one by now.
      if (!isStill(await identity.findUser(mailed.id, limit), mailed)) throw new ServiceError('link_invalid')
      const userId = mailed.id
      const wasProved = await hasProof(database.orm, mailed)
      // Also before: should we fail after the password was set, nobody with the old one stays signed in.
      await database.orm.transaction((tx) => endSessions(tx, userId))
      // Set up by whoever registered this address first.
      if (!(await isOurUser(database.orm, userId))) await identity.clearSecondFactors(userId, limit)
      const user = await identity.setPassword(userId, body.password, limit)
      if (!isStill(user, mailed)) throw new ServiceError('link_invalid')
      const by: By = { actorId: userId, ip, at: clock() }
      const { isAccountChanged, revoked } = await database.orm.transaction(async (tx) => {
        const { isOurs, isAccountChanged } = await adoptUser(tx, catalog, userId, user, by.at)
        if (!isOurs) throw new ServiceError('link_invalid')
        await noteProved(tx, mailed)
        const revoked = await passwordWasMailed(tx, userId, body.revoke_keys ?? !wasProved, by)
        return { isAccountChanged, revoked }
      })
      if (isAccountChanged) await projector.accountChanged(userId)
      await untilRevoked(projector, revoked)
      return { ok: true as const }
    }
  )
}

/** Whether a user of the provider is there and has the address that a link was mailed to. */
const isStill = (user: IdentityUser | null, { email }: Addressed): user is IdentityUser =>
  user !== null && foldCase(user.email) === foldCase(email)

/** @returns the link's user and the address it was mailed to; null if the link does not work (any more) */
async function acceptLink(
  { identity, database, clock }: AuthContext,
  token: string,
  from: string,
  limit: AbortSignal
): Promise<Addressed | null> {
  const { orm } = database
  const now = clock()
  const tokenHash = hash('sha256', token, 'hex')
  const [begun] = await orm
    .select({ id: passwordResets.userId, email: passwordResets.email })
    .from(passwordResets)
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.endsAt, now)))
  if (begun !== undefined) return begun.email === null ? null : { id: begun.id, email: begun.email }
  const user = await identity.acceptRecovery(token, from, limit)
  if (user === null) return null
  await orm.delete(passwordResets).where(lte(passwordResets.endsAt, now))
  const endsAt = new Date(now.getTime() + linkRetryMs)
  await orm
    .insert(passwordResets)
    .values({ tokenHash, userId: user.id, email: foldCase(user.email), endsAt })
    .onConflictDoNothing()
  return user
}
