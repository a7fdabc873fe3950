import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { UserResponse } from '@tollgate/contracts/http/auth.ts'
import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { recordAudit } from '../audit/record-audit.ts'
import { browserCookie, browserCookieAttributes, rememberBrowser } from '../callers/known-browser.ts'
import { callerOf, shownUser } from '../callers/session.ts'
import { presentedSessions, sessionCookie } from '../callers/session-cookie.ts'
import {
  type Confirmed,
  clearEndedSessions,
  closeSessions,
  findSession,
  lockSessions,
  openSession
} from '../callers/sessions.ts'
import type { Transaction } from '../database/connect.ts'
import { sessions } from '../database/schema/users.ts'
import type { IdentityUser } from '../identity/identity.ts'
import type { NewBrowser } from '../mail/mail-content.ts'
import { maxSignInMailsPerDay, queueMail } from '../mail/queue-mail.ts'
import { adoptUser, logUnknownPlan, withPlanMark } from '../users/adopt-user.ts'
import { isOurUser, noteProved } from '../users/proof.ts'
import type { AuthContext } from './auth-context.ts'

export interface SignInOptions {
  /** As the provider just described them. */
  readonly user: IdentityUser
  /** The time of the request. */
  readonly now: Date
  /**
   * Called in the transaction once the user's row exists and is locked, before a session is opened. It throws if the
   * user may not sign in.
   *
   * @param isOurs false for a user whom control has deleted
   */
  readonly decide: (tx: Transaction, isOurs: boolean) => Promise<void>
  /** Whether an operator created this user, whose account then needs no approval. */
  readonly isCreatedByOperator?: boolean
  /** Whether they opened a link in a mail: no other mail tells them of this sign-in. */
  readonly isByMail?: boolean
}

/**
 * Updates user and account, notes that the address is proved, opens a session and sets the cookies. It closes the
 * sessions that the request presents: a new session never shares its id with an old one.
 */
export async function signIn(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, now, decide, isByMail = false, isCreatedByOperator = false }: SignInOptions
): Promise<Static<typeof UserResponse>> {
  const { database, identity, catalog, projector, cookie, codes, publicUrl, signupPolicy } = context
  const { ip } = request
  const needsApproval = isCreatedByOperator ? async () => false : signupPolicy.needsApproval
  logUnknownPlan(request.log, catalog, user)
  const { found, planMark } = await withPlanMark(database.orm, identity, user)
  if (found === null) throw new ServiceError('not_authenticated')
  const opened = await database.orm.transaction(async (tx) => {
    const isReturning = await isOurUser(tx, user.id)
    const { isOurs, isAccountChanged } = await adoptUser(tx, context, user.id, found, now, {
      needsApproval,
      planMark
    })
    await decide(tx, isOurs)
    await noteProved(tx, user)
    await closeSessions(tx, presentedSessions(request.headers.cookie))
    await clearEndedSessions(tx, now)
    const name = describeBrowser(request.headers['user-agent'])
    const token = await openSession(tx, {
      userId: user.id,
      browser: name,
      now,
      confirmed: { at: now, codeAt: codes.isGiven(request) ? now : null },
      isRecovered: codes.isRecovered(request)
    })
    const browser = await rememberBrowser(tx, request, user.id, publicUrl, now)
    if (isReturning && !browser.isKnown && !isByMail) await mailNewBrowser(tx, user.id, { browser: name, ip }, now)
    await recordAudit(tx, { accountId: user.id, actorId: user.id, action: 'auth.login', ip, at: now })
    return { token, browser, session: await findSession(tx, token, now), isAccountChanged }
  })
  const { token, browser, session, isAccountChanged } = opened
  if (session === null) throw new Error('the session that was just opened is missing')
  request.signedIn = { userId: user.id, accountId: session.account.id }
  if (isAccountChanged) await projector.accountChanged(user.id)
  reply.setCookie(sessionCookie, token, cookie)
  reply.setCookie(browserCookie(publicUrl), browser.token, browserCookieAttributes(publicUrl))
  return { user: shownUser(catalog, session) }
}

/** Tells a user of a sign-in with a browser that they did not use before. */
async function mailNewBrowser(tx: Transaction, userId: string, data: NewBrowser, at: Date): Promise<void> {
  const notices = [{ type: 'sign_in.new_browser', data, at: at.toISOString() }]
  await queueMail(tx, { accountId: userId, kind: 'account', notices, at, maxPerDay: maxSignInMailsPerDay })
}

/** Characters of a user agent that are read. */
const maxLength = 512

/** The first match counts: most browsers also name the browsers they descend from. */
const programs: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^python|\baiohttp\//i, 'Python'],
  [/^node\b|^undici\b|^axios\//i, 'Node.js']
]

const systems: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux']
]

/**
 * Names a browser so that its user recognises it, such as `Firefox on Linux`. The name contains only our words, never
 * text from the header.
 *
 * @param userAgent `User-Agent`
 * @returns null if program and system are both unknown
 */
export function describeBrowser(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, maxLength) ?? ''
  const program = nameIn(programs, text)
  const system = nameIn(systems, text)
  if (program !== null && system !== null) return `${program} on ${system}`
  return program ?? system
}

function nameIn(names: typeof programs, text: string): string | null {
  return names.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

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
