import { hash } from 'node:crypto'
import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { unprovedUsers, users } from '../database/schema.ts'
import { foldCase } from '../http/fold-case.ts'
import type { CheckedUser, IdentityUser } from './identity/identity.ts'

/*
 * Anybody can register somebody else's address with a password of their own, and GoTrue keeps that first password when
 * the owner registers too (supabase/auth, internal/api/signup.go). So a confirmed address at the provider does not show
 * that whoever knows the password owns the address: the owner may have confirmed it by a click, or a mail scanner did.
 *
 * Here, a user has a row in `users` only once somebody presented a mailed link and the password together
 * (`POST /confirm`, `POST /reset-password`), or signed in as a user whose address an operator confirmed. Until then
 * nobody signs in.
 *
 * A proof is of one address. Whoever has a session at the provider can change the address there. Once control sees another
 * one, every session ends, and nobody signs in until the new address is proved in the same way.
 */

/** A user, and an address that is theirs. */
export type Addressed = Pick<IdentityUser, 'id' | 'email'>

/** How long a link that the provider has accepted can be tried again. */
export const linkRetryMs = 10 * 60_000
/** For how long a user who does not come back is remembered. After that "forgot password" is their way in. */
const keptMs = 30 * 86_400_000

/** Whether somebody proved this address and the user's password together. */
export async function hasProof(orm: Orm, { id, email }: Addressed): Promise<boolean> {
  return (await orm.$count(users, and(eq(users.id, id), eq(users.provedEmail, foldCase(email))))) > 0
}

/** Whether the user has ever signed in here. What the provider has of anybody else may be a stranger's doing. */
export async function isOurUser(orm: Orm, id: string): Promise<boolean> {
  return (await orm.$count(users, eq(users.id, id))) > 0
}

/** Notes that the address was proved together with the password. The user has a row. */
export async function noteProved(tx: Transaction, { id, email }: Addressed): Promise<void> {
  await tx
    .update(users)
    .set({ provedEmail: foldCase(email) })
    .where(eq(users.id, id))
  await forgetUnproved(tx, id)
}

/** Forgets what was proved of a user whose address is another one now. The user's row is locked. */
export async function addressHasChanged(tx: Transaction, user: IdentityUser, now: Date): Promise<void> {
  await tx.update(users).set({ provedEmail: null }).where(eq(users.id, user.id))
  await noteConfirmed(tx, user, now)
}

/** Whether somebody who knows the password of this user may sign in. */
export async function maySignIn(orm: Orm, user: CheckedUser): Promise<boolean> {
  if (await hasProof(orm, user)) return true
  if (!user.isConfirmedByOperator) return false
  // Another sign-in of theirs may have been the first, a moment ago.
  if (await isOurUser(orm, user.id)) return hasProof(orm, user)
  return (await orm.$count(unprovedUsers, eq(unprovedUsers.userId, user.id))) === 0
}

/**
 * Notes a user who registered. What the provider says of them later may have been changed by whoever knows the password.
 *
 * @param user null if the provider did not say who it is; then as much is asked of the database
 */
export async function noteRegistered(orm: Orm, user: IdentityUser | null, now: Date): Promise<void> {
  await orm.delete(unprovedUsers).where(lte(unprovedUsers.at, new Date(now.getTime() - keptMs)))
  if (user === null) return
  const row = { userId: user.id, email: foldCase(user.email), isConfirmed: false, at: now }
  await orm.insert(unprovedUsers).values(row).onConflictDoNothing()
}

/** Whether a user has been deleted here. Locks the user's row, so that a deletion under way comes after what is written now. */
export async function isDeleted(tx: Transaction, userId: string): Promise<boolean> {
  const [row] = await tx
    .select({ deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update')
  return row?.deletedAt != null
}

/** Notes a user whom the provider considers confirmed, but who has not proved their address with a password. */
export async function noteConfirmed(orm: Orm, user: IdentityUser, now: Date): Promise<void> {
  const isConfirmed = true
  const email = foldCase(user.email)
  // A link that proved an address of before proves no other.
  const linkHash = sql`case when ${unprovedUsers.email} = ${email} then ${unprovedUsers.linkHash} end`
  await orm
    .insert(unprovedUsers)
    .values({ userId: user.id, email, isConfirmed, at: now })
    .onConflictDoUpdate({ target: unprovedUsers.userId, set: { isConfirmed, email, linkHash } })
}

/** Notes that the provider has accepted, and so used up, this link of a user. */
export async function noteAcceptedLink(orm: Orm, user: IdentityUser, token: string, now: Date): Promise<void> {
  const row = { email: foldCase(user.email), isConfirmed: true, linkHash: hashLink(token), at: now }
  await orm
    .insert(unprovedUsers)
    .values({ userId: user.id, ...row })
    .onConflictDoUpdate({ target: unprovedUsers.userId, set: row })
}

/** @returns the user and the address that a link proved a few minutes ago; null for any other link */
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
 * The user who has not proved this address yet.
 *
 * @returns `isConfirmed`: the provider is known to consider the address confirmed, and so mails no confirmation any more
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

/** Forgets that a proof was missing: there is one now, or the user is deleted. */
export async function forgetUnproved(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(unprovedUsers).where(eq(unprovedUsers.userId, userId))
}

const hashLink = (token: string): string => hash('sha256', token, 'hex')
