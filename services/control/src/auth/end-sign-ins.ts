import { eq, sql } from 'drizzle-orm'
import { endSessions } from '../callers/sessions.ts'
import type { Transaction } from '../database/connect.ts'
import { passwordResets, users } from '../database/schema/users.ts'

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
 * @param checkedAt PostgreSQL's time before the check, by `databaseTime`
 */
export async function isPasswordUnchanged(tx: Transaction, userId: string, checkedAt: string): Promise<boolean> {
  const [row] = await tx
    .select({ isUnchanged: sql<boolean>`coalesce(${users.passwordSetAt} < ${checkedAt}::timestamptz, true)` })
    .from(users)
    .where(eq(users.id, userId))
  return row?.isUnchanged ?? true
}
