import { and, eq, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { accounts, members, sessions, users } from '../database/schema.ts'
import { newSpan, type SessionSpan } from './session-lifetime.ts'
import { hashSessionToken, isSessionToken, newSessionToken } from './session-token.ts'

/** How many sessions that are over a login clears away: more than it adds, so the table holds what is live. */
const clearedPerLogin = 20

/** The account that a user acts for: the team's for a seat, else their own. */
export type ActingFor = { id: string; plan: string; role: 'owner' | 'seat' }

export type LiveSession = {
  hash: string
  span: SessionSpan
  user: { id: string; email: string; name: string }
  /** When the identity provider last told who the user is. */
  syncedAt: Date
  account: ActingFor
}

/**
 * Opens a session.
 *
 * @param browser see auth/describe-browser.ts
 * @returns its token, which nothing but the cookie will ever carry
 */
export async function openSession(tx: Transaction, userId: string, browser: string | null, now: Date): Promise<string> {
  const token = newSessionToken()
  const tokenHash = hashSessionToken(token)
  await tx.insert(sessions).values({ tokenHash, userId, browser, createdAt: now, ...newSpan(now) })
  return token
}

/** The session of a token, unless it is over, was closed or never was, or the user's address is not proved any more. */
export async function findSession(orm: Orm, token: string, now: Date): Promise<LiveSession | null> {
  if (!isSessionToken(token)) return null
  const hash = hashSessionToken(token)
  const [row] = await orm
    .select({
      span: { lastUsedAt: sessions.lastUsedAt, idleEndsAt: sessions.idleEndsAt, endsAt: sessions.endsAt },
      syncedAt: users.syncedAt,
      user: { id: users.id, email: users.email, name: users.name },
      account: { id: accounts.id, plan: accounts.plan, seatOf: members.accountId }
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(members, eq(members.userId, users.id))
    .innerJoin(accounts, eq(accounts.id, sql`coalesce(${members.accountId}, ${users.id})`))
    .where(and(eq(sessions.tokenHash, hash), gt(sessions.idleEndsAt, now), isNotNull(users.provedEmail)))
  if (row === undefined) return null
  const { seatOf, ...account } = row.account
  return {
    hash,
    span: row.span,
    user: row.user,
    syncedAt: row.syncedAt,
    account: { ...account, role: seatOf === null ? 'owner' : 'seat' }
  }
}

/** Writes down a use. Moves the session's end, never backwards. */
export async function extendSession(orm: Orm, hash: string, { lastUsedAt, idleEndsAt }: SessionSpan): Promise<void> {
  await orm
    .update(sessions)
    .set({ lastUsedAt, idleEndsAt })
    .where(and(eq(sessions.tokenHash, hash), lte(sessions.idleEndsAt, idleEndsAt)))
}

/** Closes the sessions of these tokens, as far as there are any. @returns ids of the users who had them */
export async function closeSessions(orm: Orm, tokens: readonly string[]): Promise<string[]> {
  const hashes = tokens.filter(isSessionToken).map(hashSessionToken)
  if (hashes.length === 0) return []
  const closed = await orm
    .delete(sessions)
    .where(inArray(sessions.tokenHash, hashes))
    .returning({ userId: sessions.userId })
  return [...new Set(closed.map(({ userId }) => userId))]
}

/** Ids of the users who have sessions of these tokens. */
export async function usersOfSessions(orm: Orm, tokens: readonly string[], now: Date): Promise<string[]> {
  const hashes = tokens.filter(isSessionToken).map(hashSessionToken)
  if (hashes.length === 0) return []
  const found = await orm
    .selectDistinct({ userId: sessions.userId })
    .from(sessions)
    .where(and(inArray(sessions.tokenHash, hashes), gt(sessions.idleEndsAt, now)))
  return found.map(({ userId }) => userId)
}

/** Closes all sessions of a user. @returns how many there were */
export async function endSessions(tx: Transaction, userId: string): Promise<number> {
  // The user's row orders this with everything else that opens or ends several sessions of theirs.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ hash: sessions.tokenHash })
  return ended.length
}

/** Removes some of the sessions that are over; those that another login is removing are left to it. */
export async function clearEndedSessions(tx: Transaction, now: Date): Promise<void> {
  const ended = tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(lte(sessions.idleEndsAt, now))
    .limit(clearedPerLogin)
    .for('update', { skipLocked: true })
  await tx.delete(sessions).where(inArray(sessions.tokenHash, ended))
}
