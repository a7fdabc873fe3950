import { hash } from 'node:crypto'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { unprovedUsers, users } from '../database/schema.ts'
import type { CheckedUser, IdentityUser } from './identity/identity.ts'

/*
 * Anybody can register somebody else's address with a password of their own, and GoTrue keeps that first password when
 * the owner registers too (supabase/auth, internal/api/signup.go). So a confirmed address at the provider does not show
 * that whoever knows the password owns the address: the owner may have confirmed it by a click, or a mail scanner did.
 *
 * Here, a user has a row in `users` only once somebody presented a mailed link and the password together
 * (`POST /confirm`, `POST /reset-password`), or signed in as a user whose address an operator confirmed. Until then
 * nobody signs in.
 */

/** How long a link that the provider has accepted can be tried again. */
export const linkRetryMs = 10 * 60_000
/** For how long a user who does not come back is remembered. After that "forgot password" is their way in. */
const keptMs = 30 * 86_400_000

/** Whether somebody proved the user's address and password together. Once true, it stays true. */
export async function hasProof(orm: Orm, userId: string): Promise<boolean> {
  const rows = await orm.select({ id: users.id }).from(users).where(eq(users.id, userId))
  return rows.length > 0
}

/** Whether somebody who knows the password of this user may sign in. */
export async function maySignIn(orm: Orm, user: CheckedUser): Promise<boolean> {
  if (await hasProof(orm, user.id)) return true
  return user.isConfirmedByOperator && (await orm.$count(unprovedUsers, eq(unprovedUsers.userId, user.id))) === 0
}

/**
 * Notes a user who registered. What the provider says of them later may have been changed by whoever knows the password.
 *
 * @param user null if the provider did not say who it is; then as much is asked of the database
 */
export async function noteRegistered(orm: Orm, user: IdentityUser | null, now: Date): Promise<void> {
  await orm.delete(unprovedUsers).where(lte(unprovedUsers.at, new Date(now.getTime() - keptMs)))
  if (user === null) return
  const row = { userId: user.id, email: user.email.toLowerCase(), isConfirmed: false, at: now }
  await orm.insert(unprovedUsers).values(row).onConflictDoNothing()
}

/** Notes a user whom the provider considers confirmed, but who has not proved their address with a password. */
export async function noteConfirmed(orm: Orm, user: IdentityUser, now: Date): Promise<void> {
  const isConfirmed = true
  await orm
    .insert(unprovedUsers)
    .values({ userId: user.id, email: user.email.toLowerCase(), isConfirmed, at: now })
    .onConflictDoUpdate({ target: unprovedUsers.userId, set: { isConfirmed } })
}

/** Notes that the provider has accepted, and so used up, this link of a user. */
export async function noteAcceptedLink(orm: Orm, user: IdentityUser, token: string, now: Date): Promise<void> {
  const row = { email: user.email.toLowerCase(), isConfirmed: true, linkHash: hashLink(token), at: now }
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

/** Whether the provider has no confirmation mail for this address any more, although nobody has proved it yet. */
export async function isAddressUnproved(orm: Orm, email: string): Promise<boolean> {
  const isThis = and(eq(unprovedUsers.email, email.trim().toLowerCase()), unprovedUsers.isConfirmed)
  return (await orm.$count(unprovedUsers, isThis)) > 0
}

/** Forgets that a proof was missing: there is one now, or the user is deleted. */
export async function forgetUnproved(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(unprovedUsers).where(eq(unprovedUsers.userId, userId))
}

const hashLink = (token: string): string => hash('sha256', token, 'hex')
