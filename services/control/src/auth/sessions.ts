import { and, eq, gt, inArray, lte } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { sessions, users } from '../database/schema.ts'
import { newSpan, type SessionSpan } from './session-lifetime.ts'
import { hashSessionToken, isSessionToken, newSessionToken } from './session-token.ts'

/** How many sessions that are over a login clears away: more than it adds, so the table holds what is live. */
const clearedPerLogin = 20

export type LiveSession = {
  hash: string
  span: SessionSpan
  user: { id: string; email: string; name: string; plan: string }
}

/** Opens a session. @returns its token, which nothing but the cookie will ever carry */
export async function openSession(tx: Transaction, userId: string, now: Date): Promise<string> {
  const token = newSessionToken()
  await tx.insert(sessions).values({ tokenHash: hashSessionToken(token), userId, createdAt: now, ...newSpan(now) })
  return token
}

/** The session of a token, unless it is over, was closed or never was. */
export async function findSession(orm: Orm, token: string, now: Date): Promise<LiveSession | null> {
  if (!isSessionToken(token)) return null
  const hash = hashSessionToken(token)
  const [row] = await orm
    .select({
      idleEndsAt: sessions.idleEndsAt,
      endsAt: sessions.endsAt,
      user: { id: users.id, email: users.email, name: users.name, plan: users.plan }
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hash), gt(sessions.idleEndsAt, now)))
  if (row === undefined) return null
  return { hash, span: { idleEndsAt: row.idleEndsAt, endsAt: row.endsAt }, user: row.user }
}

/** Moves a session's end, never backwards. */
export async function extendSession(orm: Orm, hash: string, idleEndsAt: Date): Promise<void> {
  await orm
    .update(sessions)
    .set({ idleEndsAt })
    .where(and(eq(sessions.tokenHash, hash), lte(sessions.idleEndsAt, idleEndsAt)))
}

/** Closes the sessions of these tokens, as far as there are any. */
export async function closeSessions(orm: Orm, tokens: readonly string[]): Promise<void> {
  const hashes = tokens.filter(isSessionToken).map(hashSessionToken)
  if (hashes.length > 0) await orm.delete(sessions).where(inArray(sessions.tokenHash, hashes))
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
