import { isIP } from 'node:net'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { absoluteLifetimeMs } from './session-lifetime.ts'

export const sessionCookie = 'svc_session'

/**
 * Attributes of the session cookie. Subdomains of the service domain share it. On localhost or an IP address, cookies cannot
 * name a domain, so it belongs to the host alone. Browsers keep it for the longest possible session; control decides when a
 * session ends.
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
 * Every value that a request presents as its session, normally one. Another subdomain or path may have set a second value, and
 * control cannot tell them apart.
 *
 * @param header `Cookie`
 */
export const presentedSessions = (header: string | undefined): string[] => presentedCookies(header, sessionCookie)

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
