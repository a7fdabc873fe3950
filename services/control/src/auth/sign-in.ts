import type { UserResponse } from '@tollgate/contracts/http/auth.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { effectivePlan, isUnknownPlan } from '../accounts/effective-plan.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { describeBrowser } from './describe-browser.ts'
import type { AuthContext } from './endpoints.ts'
import type { IdentityUser } from './identity/identity.ts'
import { browserCookie, browserCookieAttributes, rememberBrowser } from './known-browser.ts'
import { noteProved } from './proof.ts'
import { adoptUser } from './reconcile/adopt-user.ts'
import { presentedSessions, sessionCookie } from './session-cookie.ts'
import { clearEndedSessions, closeSessions, findSession, openSession } from './sessions.ts'

/** What a request that signs somebody in does in the same transaction. */
export type SigningIn = {
  /** Who, as the provider just described them. */
  readonly user: IdentityUser
  /** The time of the request. */
  readonly now: Date
  /**
   * Called once the user's row is there and locked, before a session is opened. It throws if they may not sign in.
   *
   * @param isOurs false for somebody whom we have deleted
   */
  readonly decide: (tx: Transaction, isOurs: boolean) => Promise<void>
}

/**
 * Brings user and account up to date, notes that the address is proved, opens a session and sets the cookies. A session that the request came with is
 * closed: a new one never shares its id with an old one.
 */
export async function signIn(
  { database, catalog, projector, cookie, publicUrl }: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, now, decide }: SigningIn
): Promise<Static<typeof UserResponse>> {
  const { ip } = request
  if (isUnknownPlan(catalog, user.plan)) {
    request.log.error({ userId: user.id, plan: user.plan }, 'app_metadata.plan is not in the catalog: free applies')
  }
  const opened = await database.orm.transaction(async (tx) => {
    const { isOurs, isAccountChanged } = await adoptUser(tx, catalog, user.id, user, now)
    await decide(tx, isOurs)
    await noteProved(tx, user)
    await closeSessions(tx, presentedSessions(request.headers.cookie))
    await clearEndedSessions(tx, now)
    const token = await openSession(tx, user.id, describeBrowser(request.headers['user-agent']), now)
    const browser = await rememberBrowser(tx, request, user.id, publicUrl, now)
    await recordAudit(tx, { accountId: user.id, actorId: user.id, action: 'auth.login', ip, at: now })
    return { token, browser, session: await findSession(tx, token, now), isAccountChanged }
  })
  const { token, browser, session, isAccountChanged } = opened
  if (session === null) throw new Error('a session that was opened is not there')
  if (isAccountChanged) await projector.accountChanged(user.id)
  reply.setCookie(sessionCookie, token, cookie)
  reply.setCookie(browserCookie(publicUrl), browser, browserCookieAttributes(publicUrl))
  return { user: { ...session.user, plan: effectivePlan(catalog, session.account.plan) } }
}
