import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Confirmed } from '../callers/confirmation.ts'
import { callerOf } from '../callers/session.ts'
import { sessionCookie } from '../callers/session-cookie.ts'
import { lockSessions, openSession } from '../callers/sessions.ts'
import type { Transaction } from '../database/connect.ts'
import { sessions } from '../database/schema/sessions.ts'
import type { AuthContext } from './auth-context.ts'
import { describeBrowser } from './describe-browser.ts'

/**
 * Runs a change that ends all sessions of a user, then opens a new session for the caller.
 *
 * A caller whose session was closed in the meantime gets none: signing out everywhere includes this session.
 *
 * @param change ends the sessions in the same transaction
 * @param confirmed what the new session notes of the caller's confirmation; by default, as the old one
 */
export async function renewSession(
  { database, clock, cookie }: Pick<AuthContext, 'database' | 'clock' | 'cookie'>,
  request: FastifyRequest,
  reply: FastifyReply,
  change: (tx: Transaction, now: Date) => Promise<void>,
  confirmed: (now: Date) => Confirmed = () => callerOf(request).confirmed
): Promise<void> {
  const { user, sessionHash } = callerOf(request)
  const now = clock()
  const token = await database.orm.transaction(async (tx) => {
    await lockSessions(tx, user.id)
    const open = await tx.select({ hash: sessions.tokenHash }).from(sessions).where(eq(sessions.tokenHash, sessionHash))
    await change(tx, now)
    if (open.length === 0) return null
    const browser = describeBrowser(request.headers['user-agent'])
    return openSession(tx, { userId: user.id, browser, now, confirmed: confirmed(now), isRecovered: false })
  })
  if (token !== null) reply.setCookie(sessionCookie, token, cookie)
}
