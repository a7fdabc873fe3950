import { hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, ResetPasswordRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { By } from '../accounts/suspend-account.ts'
import { passwordResets } from '../database/schema.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { checkNewPassword } from './credentials-form.ts'
import type { AuthContext } from './endpoints.ts'
import { passwordWasMailed, untilRevoked } from './mailed-password.ts'
import { forgetUnproved, hasProof, linkRetryMs } from './proof.ts'
import { adoptUser } from './reconcile/adopt-user.ts'
import { endSessions } from './sessions.ts'

/**
 * `POST /reset-password`: sets a new password with what the link of a mail led to. All of the user's sessions end, and
 * their management keys are revoked; with `revoke_keys` their inference keys too. Nobody is signed in by it.
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
      const userId =
        'token_hash' in body
          ? await acceptLink(context, body.token_hash, ip, limit)
          : ((await identity.acceptLinkSession(body.access_token, ip, limit))?.id ?? null)
      if (userId === null) throw new ServiceError('link_invalid')
      const wasProved = await hasProof(database.orm, userId)
      // Also before: should we fail after the password was set, nobody with the old one stays signed in.
      await database.orm.transaction((tx) => endSessions(tx, userId))
      const user = await identity.setPassword(userId, body.password, limit)
      if (user === null) throw new ServiceError('link_invalid')
      const by: By = { actorId: userId, ip, at: clock() }
      const { isAccountChanged, revoked } = await database.orm.transaction(async (tx) => {
        const { isOurs, isAccountChanged } = await adoptUser(tx, catalog, userId, user, by.at)
        if (!isOurs) throw new ServiceError('link_invalid')
        await forgetUnproved(tx, userId)
        const revoked = await passwordWasMailed(tx, userId, body.revoke_keys ?? !wasProved, by)
        return { isAccountChanged, revoked }
      })
      if (isAccountChanged) await projector.accountChanged(userId)
      await untilRevoked(projector, revoked)
      return { ok: true as const }
    }
  )
}

/** @returns the id of the link's user; null if the link does not work (any more) */
async function acceptLink(
  { identity, database, clock }: AuthContext,
  token: string,
  from: string,
  limit: AbortSignal
): Promise<string | null> {
  const { orm } = database
  const now = clock()
  const tokenHash = hash('sha256', token, 'hex')
  const [begun] = await orm
    .select({ userId: passwordResets.userId })
    .from(passwordResets)
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.endsAt, now)))
  if (begun !== undefined) return begun.userId
  const userId = await identity.acceptRecovery(token, from, limit)
  if (userId === null) return null
  await orm.delete(passwordResets).where(lte(passwordResets.endsAt, now))
  const endsAt = new Date(now.getTime() + linkRetryMs)
  await orm.insert(passwordResets).values({ tokenHash, userId, endsAt }).onConflictDoNothing()
  return userId
}
