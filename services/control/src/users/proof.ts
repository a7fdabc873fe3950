import { hash } from 'node:crypto'
import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { unprovedUsers, users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import type { CheckedUser, IdentityUser } from '../identity/identity.ts'

/*
 * An attacker can register another person's address with the attacker's password. GoTrue keeps that first password when
 * the owner registers too (supabase/auth, internal/api/signup.go). The owner's click, or a mail scanner, then confirms
 * the address. So a confirmed address at the provider does not prove that the password belongs to the owner.
 *
 * Control therefore creates a row in `users` only after somebody presented a mailed link and the password together
 * (`POST /confirm`, `POST /reset-password`), or signed in as a user whose address an operator confirmed. Nobody can
 * sign in before that.
 *
 * A proof is for one address. Anyone with a session at the provider can change the address there. When control sees
 * another address, every session ends, and nobody can sign in until the new address is proved in the same way.
 */

/** A user and one of their addresses. */
export type Addressed = Pick<IdentityUser, 'id' | 'email'>

/** How long a link works after the provider accepted it. */
export const linkRetryMs = 10 * 60_000
/** How long control remembers a user without proof. After that, "forgot password" still works for them. */
const keptMs = 30 * 86_400_000

/** Whether somebody proved this address and the user's password together. */
export async function hasProof(orm: Orm, { id, email }: Addressed): Promise<boolean> {
  return (await orm.$count(users, and(eq(users.id, id), eq(users.provedEmail, foldCase(email))))) > 0
}

/** Whether the user has ever signed in here. If not, a stranger may have written the provider's data. */
export async function isOurUser(orm: Orm, id: string): Promise<boolean> {
  return (await orm.$count(users, eq(users.id, id))) > 0
}

/** Notes that address and password were proved together. The user has a row. */
export async function noteProved(tx: Transaction, { id, email }: Addressed): Promise<void> {
  await tx
    .update(users)
    .set({ provedEmail: foldCase(email) })
    .where(eq(users.id, id))
  await forgetUnproved(tx, id)
}

/** Forgets the proof of a user whose address has changed. The user's row is locked. */
export async function forgetProof(tx: Transaction, user: IdentityUser, now: Date): Promise<void> {
  await tx.update(users).set({ provedEmail: null }).where(eq(users.id, user.id))
  await noteConfirmed(tx, user, now)
}

/** Whether a user with the right password may sign in. */
export async function maySignIn(orm: Orm, user: CheckedUser): Promise<boolean> {
  if (await hasProof(orm, user)) return true
  if (!user.isConfirmedByOperator) return false
  // Another first sign-in may have finished a moment ago.
  if (await isOurUser(orm, user.id)) return hasProof(orm, user)
  return (await orm.$count(unprovedUsers, eq(unprovedUsers.userId, user.id))) === 0
}

/**
 * Notes a registered user. Anyone with the password may change the provider's data later.
 *
 * @param user null if the provider does not name them; then control only deletes old rows
 */
export async function noteRegistered(orm: Orm, user: IdentityUser | null, now: Date): Promise<void> {
  await orm.delete(unprovedUsers).where(lte(unprovedUsers.at, new Date(now.getTime() - keptMs)))
  if (user === null) return
  const row = { userId: user.id, email: foldCase(user.email), isConfirmed: false, at: now }
  await orm.insert(unprovedUsers).values(row).onConflictDoNothing()
}

/**
 * Whether control has deleted a user. Locks the user's row, so that a running deletion comes after this transaction's
 * writes.
 */
export async function isDeleted(tx: Transaction, userId: string): Promise<boolean> {
  const [row] = await tx
    .select({ deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update')
  return row?.deletedAt != null
}

/** Notes a user who is confirmed at the provider, but has not proved the address together with the password. */
export async function noteConfirmed(orm: Orm, user: IdentityUser, now: Date): Promise<void> {
  const isConfirmed = true
  const email = foldCase(user.email)
  // A link proves only the address it was sent to.
  const linkHash = sql`case when ${unprovedUsers.email} = ${email} then ${unprovedUsers.linkHash} end`
  await orm
    .insert(unprovedUsers)
    .values({ userId: user.id, email, isConfirmed, at: now })
    .onConflictDoUpdate({ target: unprovedUsers.userId, set: { isConfirmed, email, linkHash } })
}

/** Notes that the provider has accepted this link, which uses it up. */
export async function noteAcceptedLink(orm: Orm, user: IdentityUser, token: string, now: Date): Promise<void> {
  const row = { email: foldCase(user.email), isConfirmed: true, linkHash: hashLink(token), at: now }
  await orm
    .insert(unprovedUsers)
    .values({ userId: user.id, ...row })
    .onConflictDoUpdate({ target: unprovedUsers.userId, set: row })
}

/** @returns the user and address of a link that the provider accepted a few minutes ago; null for any other link */
export async function findAcceptedLink(
  orm: Orm,
  token: string,
  now: Date
): Promise<{ id: string; email: string } | null> {
  const [row] = await orm
    .select({ id: unprovedUsers.userId, email: unprovedUsers.email })
    .from(unprovedUsers)
    .where(
      and(eq(unprovedUsers.linkHash, hashLink(token)), gt(unprovedUsers.at, new Date(now.getTime() - linkRetryMs)))
    )
  return row ?? null
}

/**
 * Finds the user who has not proved this address yet.
 *
 * @returns `isConfirmed`: whether control knows that the provider considers the address confirmed, and mails no
 *   confirmation
 */
export async function findUnproved(orm: Orm, email: string): Promise<{ userId: string; isConfirmed: boolean } | null> {
  const [row] = await orm
    .select({ userId: unprovedUsers.userId, isConfirmed: unprovedUsers.isConfirmed })
    .from(unprovedUsers)
    .where(eq(unprovedUsers.email, foldCase(email.trim())))
    .orderBy(desc(unprovedUsers.isConfirmed), desc(unprovedUsers.at))
    .limit(1)
  return row ?? null
}

/** Deletes the note that a proof is missing: it exists now, or the user is deleted. */
export async function forgetUnproved(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(unprovedUsers).where(eq(unprovedUsers.userId, userId))
}

const hashLink = (token: string): string => hash('sha256', token, 'hex')
