import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, sql } from 'drizzle-orm'
import { type By, recordAudit } from '../audit/record-audit.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import { endSessions } from '../callers/sessions.ts'
import { type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { members } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { passwordResets, users } from '../database/schema/users.ts'
import { type RevokedKey, revokeKeys } from '../keys/revoke-key.ts'
import type { Projector } from '../projection/projector.ts'

/** Revocations that control awaits at the same time. */
const batch = 20

/**
 * Ends old access after a mailed link set a new password: somebody else may have known the old one. Every session ends,
 * and the management keys are revoked; with `isEveryKey`, inference keys too.
 *
 * These are all keys of the user's own account. For a seat of a team, they include the keys that the user created
 * there.
 *
 * @returns the keys that are now revoked in the database; see {@link awaitRevocations}
 */
export async function revokeOldAccess(
  tx: Transaction,
  userId: string,
  isEveryKey: boolean,
  by: By
): Promise<RevokedKey[]> {
  await endOldPassword(tx, userId)
  await forgetBrowsers(tx, userId)
  const which = isEveryKey ? undefined : eq(keys.scope, 'management')
  const revoked = await revokeKeys(tx, userId, by.at, which)
  const [team] = await tx.select({ id: members.accountId }).from(members).where(eq(members.userId, userId))
  if (team !== undefined) {
    revoked.push(...(await revokeKeys(tx, team.id, by.at, and(eq(keys.createdBy, userId), which))))
  }
  const detail = { keys_revoked: revoked.length }
  await recordAudit(tx, { accountId: userId, ...by, action: 'auth.password_reset', detail })
  for (const { id, accountId, label } of revoked) {
    const detail = { label, by_password_reset: true }
    await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
  }
  return revoked
}

/**
 * Waits until no gateway accepts the keys.
 *
 * @throws ServiceError `revocation_pending`; its message also says that the password is set, because the link is used
 *   up
 */
export async function awaitRevocations(
  projector: Pick<Projector, 'keyRevoked'>,
  revoked: readonly RevokedKey[]
): Promise<void> {
  for (let from = 0; from < revoked.length; from += batch) {
    const some = revoked.slice(from, from + batch).map(({ accountId, id }) => projector.keyRevoked(accountId, id))
    if (!(await Promise.all(some)).includes(false)) continue
    throw new ServiceError('revocation_pending', {
      message:
        'The new password is set and every session has ended. Some keys are still being revoked; this completes by itself. Sign in with the new password.'
    })
  }
}

/**
 * The time in the database, which all replicas share, in PostgreSQL's notation. Read it before a password is checked.
 */
export async function databaseTime(orm: Orm): Promise<string> {
  const [row] = await queryRows<{ now: string }>(orm, sql`select clock_timestamp()::text as now`)
  return row!.now
}

/**
 * Ends every session of a user. A sign-in that began earlier, with the old password or factor, opens no session: see
 * {@link isPasswordUnchanged}.
 */
export async function endSignIns(tx: Transaction, userId: string): Promise<void> {
  // First: the row's lock puts this and the user's sign-ins in order.
  await tx.update(users).set({ passwordSetAt: sql`clock_timestamp()` }).where(eq(users.id, userId))
  await endSessions(tx, userId)
}

/** After a password was set: ends the user's sessions and sign-ins, and every link to a new password. */
export async function endOldPassword(tx: Transaction, userId: string): Promise<void> {
  await endSignIns(tx, userId)
  await tx.update(users).set({ hasPassword: true }).where(eq(users.id, userId))
  await tx.delete(passwordResets).where(eq(passwordResets.userId, userId))
}

/**
 * Whether password and second factor are still the same as when they were checked.
 *
 * @param tx has locked the user's row
 * @param checkedAt from {@link databaseTime}, before the check
 */
export async function isPasswordUnchanged(tx: Transaction, userId: string, checkedAt: string): Promise<boolean> {
  const [row] = await tx
    .select({ isUnchanged: sql<boolean>`coalesce(${users.passwordSetAt} < ${checkedAt}::timestamptz, true)` })
    .from(users)
    .where(eq(users.id, userId))
  return row?.isUnchanged ?? true
}
