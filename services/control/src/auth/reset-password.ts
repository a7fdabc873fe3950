import { hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, ResetPasswordRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, gt, lte } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import { passwordResets, users } from '../database/schema.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { checkNewPassword } from './credentials-form.ts'
import type { AuthContext } from './endpoints.ts'
import { passwordWasSet } from './password-set.ts'
import { endSessions } from './sessions.ts'

/** For how long a link that the provider has accepted can be tried again until a password is set with it. */
const retryMs = 10 * 60_000

/**
 * `POST /reset-password`: sets a new password with what the link of a mail led to, and ends all of the user's sessions.
 * Nobody is signed in by it.
 */
export function resetPassword(app: TypedApp, context: AuthContext): void {
  const { identity, database, clock, limits } = context
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
          : await identity.acceptRecoverySession(body.access_token, ip, limit)
      if (userId === null) throw new ServiceError('link_invalid')
      // Also before: should we fail after the password was set, nobody with the old one stays signed in.
      await database.orm.transaction((tx) => endSessions(tx, userId))
      if (!(await identity.setPassword(userId, body.password, limit))) throw new ServiceError('link_invalid')
      await database.orm.transaction(async (tx) => {
        await passwordWasSet(tx, userId)
        const [known] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId))
        // Who never signed in has no account, and nothing to look up later.
        if (known === undefined) return
        await recordAudit(tx, { accountId: userId, actorId: userId, action: 'auth.password_reset', ip, at: clock() })
      })
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
  const endsAt = new Date(now.getTime() + retryMs)
  await orm.insert(passwordResets).values({ tokenHash, userId, endsAt }).onConflictDoNothing()
  return userId
}
