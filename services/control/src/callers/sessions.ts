import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { accounts, members } from '../database/schema/accounts.ts'
import { sessions, users } from '../database/schema/users.ts'
import { hashSessionToken, isSessionToken, newSessionToken, newSpan, type SessionSpan } from './session-cookie.ts'

/** Ended sessions that a login removes: more than it adds, so that the table stays small. */
const clearedPerLogin = 20

/** The account that a user acts for: the team's for a seat, else their own. */
export interface ActingFor {
  id: string
  plan: string
  role: 'owner' | 'seat'
}

export interface LiveSession {
  hash: string
  span: SessionSpan
  user: {
    id: string
    email: string
    name: string
    isOperator: boolean
    operatorRoles: string | null
    hasPassword: boolean
  }
  openedAt: Date
  isRecovered: boolean
  confirmed: Confirmed
  /** When control last read the user from the identity provider. */
  syncedAt: Date
  account: ActingFor
}

export interface NewSession {
  readonly userId: string
  /** See auth/sign-in.ts. */
  readonly browser: string | null
  readonly now: Date
  readonly confirmed: Confirmed
  /** Whether a recovery code replaced the code of the second factor. */
  readonly isRecovered: boolean
}

/** Opens a session. @returns its token, which only the cookie may contain */
export async function openSession(
  tx: Transaction,
  { userId, browser, now, confirmed, isRecovered }: NewSession
): Promise<string> {
  const token = newSessionToken()
  const row = { tokenHash: hashSessionToken(token), userId, browser, isRecovered, createdAt: now }
  await tx.insert(sessions).values({ ...row, ...storedConfirmation(confirmed), ...newSpan(now) })
  return token
}

/** Notes that the user of a session has confirmed that it is them. @returns false if the session has ended */
export async function noteConfirmed(orm: Orm, hash: string, confirmed: Confirmed): Promise<boolean> {
  const noted = await orm
    .update(sessions)
    .set(storedConfirmation(confirmed))
    .where(eq(sessions.tokenHash, hash))
    .returning({ hash: sessions.tokenHash })
  return noted.length > 0
}

const storedConfirmation = ({ at, codeAt }: Confirmed) => ({ confirmedAt: at, codeConfirmedAt: codeAt })

/** The open session of a token. Null if there is none, or if the user's address is no longer proved. */
export async function findSession(orm: Orm, token: string, now: Date): Promise<LiveSession | null> {
  if (!isSessionToken(token)) return null
  const hash = hashSessionToken(token)
  const [row] = await orm
    .select({
      span: { lastUsedAt: sessions.lastUsedAt, idleEndsAt: sessions.idleEndsAt, endsAt: sessions.endsAt },
      syncedAt: users.syncedAt,
      user: {
        id: users.id,
        email: users.email,
        name: users.name,
        isOperator: users.isOperator,
        operatorRoles: users.operatorRoles,
        hasPassword: users.hasPassword
      },
      openedAt: sessions.createdAt,
      isRecovered: sessions.isRecovered,
      confirmed: { at: sessions.confirmedAt, codeAt: sessions.codeConfirmedAt },
      account: { id: accounts.id, plan: accounts.planInForce, seatOf: members.accountId }
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
    openedAt: row.openedAt,
    isRecovered: row.isRecovered,
    confirmed: row.confirmed,
    syncedAt: row.syncedAt,
    account: { ...account, role: seatOf === null ? 'owner' : 'seat' }
  }
}

/** Stores a use. It moves the session's end only forwards. */
export async function extendSession(orm: Orm, hash: string, { lastUsedAt, idleEndsAt }: SessionSpan): Promise<void> {
  await orm
    .update(sessions)
    .set({ lastUsedAt, idleEndsAt })
    .where(and(eq(sessions.tokenHash, hash), lte(sessions.idleEndsAt, idleEndsAt)))
}

/** Closes the sessions of these tokens. Other tokens are ignored. @returns ids of the sessions' users */
export async function closeSessions(orm: Orm, tokens: readonly string[]): Promise<string[]> {
  const hashes = tokens.filter(isSessionToken).map(hashSessionToken)
  if (hashes.length === 0) return []
  const closed = await orm
    .delete(sessions)
    .where(inArray(sessions.tokenHash, hashes))
    .returning({ userId: sessions.userId })
  return [...new Set(closed.map(({ userId }) => userId))]
}

/** Ids of the users whose open sessions have these tokens. */
export async function usersOfSessions(orm: Orm, tokens: readonly string[], now: Date): Promise<string[]> {
  const hashes = tokens.filter(isSessionToken).map(hashSessionToken)
  if (hashes.length === 0) return []
  const rows = await orm
    .selectDistinct({ userId: sessions.userId })
    .from(sessions)
    .where(and(inArray(sessions.tokenHash, hashes), gt(sessions.idleEndsAt, now)))
  return rows.map(({ userId }) => userId)
}

/** Locks a user's row, so that changes of several of the user's sessions run one after the other. */
export async function lockSessions(tx: Transaction, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
}

/** Closes all sessions of a user. @returns how many there were */
export async function endSessions(tx: Transaction, userId: string): Promise<number> {
  await lockSessions(tx, userId)
  const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ hash: sessions.tokenHash })
  return ended.length
}

/** Removes some ended sessions. It skips sessions that another login is removing. */
export async function clearEndedSessions(tx: Transaction, now: Date): Promise<void> {
  const ended = tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(lte(sessions.idleEndsAt, now))
    .limit(clearedPerLogin)
    .for('update', { skipLocked: true })
  await tx.delete(sessions).where(inArray(sessions.tokenHash, ended))
}

/*
 * Whoever steals a session has no password. So calls that give away money or rights, or that cannot be undone, need a
 * user who signed in, or gave their password again, a few minutes ago (OWASP, "Session Management": reauthentication).
 * A session remembers when that was; see auth/own-password.ts.
 */

/** How long a confirmation counts. */
const confirmedMs = 10 * 60_000

/** When the user of a session last confirmed that it is them. Null: never. */
export interface Confirmed {
  /** With the password, or by a sign-in with a provider. */
  readonly at: Date | null
  /** With a code of the second factor, too. */
  readonly codeAt: Date | null
}

const isRecent = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < confirmedMs

/** @throws ServiceError `confirmation_required` */
export function assertConfirmed({ at }: Confirmed, now: Date): void {
  if (!isRecent(at, now)) throw new ServiceError('confirmation_required')
}

/**
 * For acts of operators.
 *
 * @param needsCode whether operators must have a second factor
 * @throws ServiceError `confirmation_required`; `operator_needs_second_factor` for an operator without one
 */
export function assertOperatorConfirmed(confirmed: Confirmed, needsCode: boolean, now: Date): void {
  assertConfirmed(confirmed, now)
  // Every confirmation asks for the code, if there is a second factor.
  if (needsCode && !isRecent(confirmed.codeAt, now)) throw new ServiceError('operator_needs_second_factor')
}
