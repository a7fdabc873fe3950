import type { CookieSerializeOptions } from '@fastify/cookie'
import { and, desc, eq, gt, inArray, lte, notInArray, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { knownBrowsers, users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import { hostCookie, hostCookieAttributes } from './host-cookie.ts'
import { hashSessionToken, isSessionToken, newSessionToken, presentedCookies } from './session-cookie.ts'

/*
 * Sign-in attempts are limited per address, so strangers could use up the owner's attempts. Therefore a browser that
 * signed in gets a cookie, and its attempts count separately (OWASP, "Device cookies"). The cookie gives no access: it
 * only selects the counter.
 */

/** The cookie's name. @param publicUrl an origin */
export const browserCookie = (publicUrl: string): string => hostCookie('svc_browser', publicUrl)

const lifetimeMs = 180 * 86_400_000
/** Browsers per user. A new browser replaces the least recently used. */
const maxBrowsers = 20
/** Cookies of that name that control reads: another site of the domain may have set more. */
const maxPresented = 5
/** Ended rows that a sign-in removes: more than it adds. */
const clearedPerSignIn = 20

/** Browsers send the cookie only to this host. */
export const browserCookieAttributes = (publicUrl: string): CookieSerializeOptions =>
  hostCookieAttributes(publicUrl, lifetimeMs)

/** The presented cookie values, by their stored hash. */
function presentedBrowsers(request: FastifyRequest, publicUrl: string): Map<string, string> {
  const values = presentedCookies(request.headers.cookie, browserCookie(publicUrl))
  const tokens = values.filter(isSessionToken).slice(0, maxPresented)
  return new Map(tokens.map((token) => [hashSessionToken(token), token]))
}

/**
 * The subject that a sign-in counts for: a known browser of the address's owner, else everybody who tries the address.
 */
export function signInSubject(database: Database, clock: Clock, publicUrl: string) {
  const findKnown = findKnownBrowser(database, clock, publicUrl)
  return async (request: FastifyRequest): Promise<string> => (await findKnown(request)) ?? addressOf(request)
}

/** A name for a sign-in's browser if the address's owner signed in with it before; else null. */
export function findKnownBrowser({ orm }: Database, clock: Clock, publicUrl: string) {
  return async (request: FastifyRequest): Promise<string | null> => {
    const email = addressOf(request)
    const hashes = [...presentedBrowsers(request, publicUrl).keys()]
    if (hashes.length === 0) return null
    const [browser] = await orm
      .select({ hash: knownBrowsers.tokenHash, userId: knownBrowsers.userId })
      .from(knownBrowsers)
      .innerJoin(users, eq(users.id, knownBrowsers.userId))
      .where(
        and(
          inArray(knownBrowsers.tokenHash, hashes),
          gt(knownBrowsers.endsAt, clock()),
          eq(sql`lower(${users.email})`, foldCase(email.trim()))
        )
      )
      .limit(1)
    return browser === undefined ? null : `browser ${browser.hash} of ${browser.userId}`
  }
}

/**
 * Notes that a user signed in with this browser. @returns the value for its cookie, and whether the user signed in with
 * it before
 */
export async function rememberBrowser(
  tx: Transaction,
  request: FastifyRequest,
  userId: string,
  publicUrl: string,
  now: Date
): Promise<{ token: string; isKnown: boolean }> {
  const presented = presentedBrowsers(request, publicUrl)
  const [browser] = await tx
    .select({ hash: knownBrowsers.tokenHash })
    .from(knownBrowsers)
    .where(
      and(
        inArray(knownBrowsers.tokenHash, [...presented.keys()]),
        eq(knownBrowsers.userId, userId),
        gt(knownBrowsers.endsAt, now)
      )
    )
    .limit(1)
  // A value that was not issued to this user is never reused: an attacker may have planted it.
  const token = presented.get(browser?.hash ?? '') ?? newSessionToken()
  const endsAt = new Date(now.getTime() + lifetimeMs)
  await tx
    .insert(knownBrowsers)
    .values({ tokenHash: hashSessionToken(token), userId, endsAt })
    .onConflictDoUpdate({ target: [knownBrowsers.tokenHash, knownBrowsers.userId], set: { endsAt } })
  await clearBrowsers(tx, userId, now)
  return { token, isKnown: browser !== undefined }
}

/** Forgets a user's browsers. Their attempts then count as strangers', until the user signs in. */
export async function forgetBrowsers(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(knownBrowsers).where(eq(knownBrowsers.userId, userId))
}

async function clearBrowsers(tx: Transaction, userId: string, now: Date): Promise<void> {
  const hashes = tx
    .select({ hash: knownBrowsers.tokenHash })
    .from(knownBrowsers)
    .where(eq(knownBrowsers.userId, userId))
    .orderBy(desc(knownBrowsers.endsAt))
    .limit(maxBrowsers)
  await tx
    .delete(knownBrowsers)
    .where(and(eq(knownBrowsers.userId, userId), notInArray(knownBrowsers.tokenHash, hashes)))
  const ended = tx
    .select({ hash: knownBrowsers.tokenHash, userId: knownBrowsers.userId })
    .from(knownBrowsers)
    .where(lte(knownBrowsers.endsAt, now))
    .limit(clearedPerSignIn)
    .for('update', { skipLocked: true })
  await tx.delete(knownBrowsers).where(sql`(${knownBrowsers.tokenHash}, ${knownBrowsers.userId}) in ${ended}`)
}

/** The e-mail address in a body whose schema requires one. */
export const addressOf = (request: FastifyRequest): string => (request.body as { email: string }).email
