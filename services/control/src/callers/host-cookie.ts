import type { CookieSerializeOptions } from '@fastify/cookie'
import { presentedCookies } from './session-cookie.ts'

/**
 * The name of a cookie that belongs to control's host alone. Over https, its prefix makes browsers refuse it from other
 * hosts and from http pages.
 *
 * @param publicUrl an origin
 */
export const hostCookie = (name: string, publicUrl: string): string =>
  publicUrl.startsWith('https://') ? `__Host-${name}` : name

/** Attributes of such a cookie. The prefix `__Host-` requires the path `/`, and no domain. */
export const hostCookieAttributes = (
  publicUrl: string,
  lifetimeMs: number,
  sameSite: 'lax' | 'strict' = 'lax'
): CookieSerializeOptions => ({
  httpOnly: true,
  sameSite,
  path: '/',
  secure: publicUrl.startsWith('https://'),
  maxAge: lifetimeMs / 1000
})

/** The value of a cookie; null without one, or with several: without the prefix, another site may have set one. */
export function presentedOnce(header: string | undefined, cookie: string): string | null {
  const [value, second] = presentedCookies(header, cookie)
  return value === undefined || second !== undefined ? null : value
}
