import { hash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { CookieSerializeOptions } from '@fastify/cookie'

const shape = /^[A-Za-z0-9_-]{43}$/

/** A new session id for a cookie: 256 random bits in base64url. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a session id. Other texts are refused without a database query. */
export const isSessionToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex. The database stores session ids only in this form. */
export const hashSessionToken = (token: string): string => hash('sha256', token, 'hex')

const dayMs = 86_400_000
/** A session ends after this time without use. */
export const idleLifetimeMs = 7 * dayMs
/** A session ends after this time in any case. */
export const absoluteLifetimeMs = 30 * dayMs
/** The minimum time between two stored uses. */
const minStepMs = 60_000

export interface SessionSpan {
  /** At most {@link minStepMs} before the last use. */
  readonly lastUsedAt: Date
  /** When the session ends without further use. Never after `endsAt`. */
  readonly idleEndsAt: Date
  readonly endsAt: Date
}

export function newSpan(now: Date): SessionSpan {
  return { lastUsedAt: now, idleEndsAt: after(now, idleLifetimeMs), endsAt: after(now, absoluteLifetimeMs) }
}

export function isOver(span: Pick<SessionSpan, 'idleEndsAt'>, now: Date): boolean {
  return span.idleEndsAt <= now
}

/** The span after a use at `now`. Null if the difference is too small to store. */
export function extendSpan({ lastUsedAt, idleEndsAt, endsAt }: SessionSpan, now: Date): SessionSpan | null {
  const end = Math.min(now.getTime() + idleLifetimeMs, endsAt.getTime())
  const gainedMs = end - idleEndsAt.getTime()
  const isLastStep = end === endsAt.getTime() && gainedMs > 0
  // In its last week, a session's end no longer moves.
  const isLaterUse = gainedMs === 0 && now.getTime() - lastUsedAt.getTime() >= minStepMs
  if (gainedMs < minStepMs && !isLastStep && !isLaterUse) return null
  return { lastUsedAt: now, idleEndsAt: new Date(end), endsAt }
}

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms)

export const sessionCookie = 'svc_session'

/**
 * Attributes of the session cookie. Subdomains of the service domain share it. On localhost or an IP address, cookies
 * cannot name a domain, so it belongs to the host alone. Browsers keep it for the longest possible session; control
 * decides when a session ends.
 *
 * @param publicUrl an origin
 */
export function cookieAttributes(publicUrl: string, serviceDomain: string): CookieSerializeOptions {
  const canBeShared = serviceDomain.includes('.') && isIP(serviceDomain) === 0
  return {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: publicUrl.startsWith('https://'),
    maxAge: absoluteLifetimeMs / 1000,
    ...(canBeShared && { domain: serviceDomain })
  }
}

/**
 * Every value that a request presents as its session, normally one. Another subdomain or path may have set a second
 * value, and control cannot tell them apart.
 *
 * @param header `Cookie`
 */
export const presentedSessions = (header: string | undefined): string[] => presentedCookies(header, sessionCookie)

/** Whether a browser presents a session. It may have ended: pages find out. */
export const presentsSession = (header: string | undefined): boolean =>
  presentedSessions(header).some((one) => one !== '')

/** Every value of a cookie in a `Cookie` header. */
export function presentedCookies(header: string | undefined, cookie: string): string[] {
  if (header === undefined) return []
  return header.split(';').flatMap((pair) => {
    const [name, value] = splitOnce(pair.trim())
    return name === cookie ? [value] : []
  })
}

function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
}
