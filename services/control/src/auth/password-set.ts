import { eq, sql } from 'drizzle-orm'
import { type Orm, queryRows, type Transaction } from '../database/connect.ts'
import { passwordResets, users } from '../database/schema.ts'
import { endSessions } from './sessions.ts'

/** The time of the database, which all replicas share, in its own notation. To be read before a password is checked. */
export async function databaseTime(orm: Orm): Promise<string> {
  const [row] = await queryRows<{ now: string }>(orm, sql`select clock_timestamp()::text as now`)
  return row!.now
}

/**
 * Ends every session of a user. A sign-in that is under way with what was needed before opens no session after this: see
 * {@link isPasswordStill}.
 */
export async function endSignIns(tx: Transaction, userId: string): Promise<void> {
  // First, because the row's lock orders this and the sign-ins of the user.
  await tx.update(users).set({ passwordSetAt: sql`clock_timestamp()` }).where(eq(users.id, userId))
  await endSessions(tx, userId)
}

/** Ends every session and sign-in of a user whose password was set, and every link to set it once more. */
export async function passwordWasSet(tx: Transaction, userId: string): Promise<void> {
  await endSignIns(tx, userId)
  await tx.delete(passwordResets).where(eq(passwordResets.userId, userId))
}

/**
 * Whether a password that was checked at some time is still the user's.
 *
 * @param tx has locked the user's row
 * @param checkedAt of {@link databaseTime}
 */
export async function isPasswordStill(tx: Transaction, userId: string, checkedAt: string): Promise<boolean> {
  const [row] = await tx
    .select({ isStill: sql<boolean>`coalesce(${users.passwordSetAt} < ${checkedAt}::timestamptz, true)` })
    .from(users)
    .where(eq(users.id, userId))
  return row?.isStill ?? true
}
