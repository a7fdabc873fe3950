import { hkdfSync } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { presentedCookies } from '../callers/session-cookie.ts'
import { seal, unseal } from '../secrets/seal.ts'

const place = 'registration cookie'
/** As long as the mailed link works. */
const lifetimeMs = 24 * 3_600_000

/** What was typed to register. */
export interface Registration {
  readonly email: string
  readonly password: string
}

/**
 * Keeps a registration in the browser that registered, so that the mailed link does not ask for the password there.
 * Only control can decrypt it. It still proves a password: if a stranger registered the address first, the stranger's
 * password does not become valid.
 */
export interface Registrations {
  write(registration: Registration, now: Date): string
  /**
   * @param header `Cookie`
   * @returns null if this browser registered no address in the last day
   */
  read(header: string | undefined, now: Date): Registration | null
}

/** @param secret a secret of all replicas */
export function createRegistrations(secret: string, publicUrl: string): Registrations {
  const keys = [Buffer.from(hkdfSync('sha256', secret, '', 'tollgate registration', 32))]
  return {
    write: ({ email, password }, now) =>
      seal(keys, place, JSON.stringify({ email, password, endsMs: now.getTime() + lifetimeMs })),
    read: (header, now) => {
      const [value, second] = presentedCookies(header, registrationCookie(publicUrl))
      if (value === undefined || second !== undefined) return null
      const text = unseal(keys, place, value)
      if (text === null) return null
      const { endsMs, ...registration } = JSON.parse(text) as Registration & { endsMs: number }
      return endsMs > now.getTime() ? registration : null
    }
  }
}

/** Over https, the prefix keeps other hosts and http pages from setting the cookie. */
export const registrationCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https://') ? '__Host-svc_registration' : 'svc_registration'

/** The page that the link opens sends the cookie itself, so other sites never need to. */
export const registrationCookieAttributes = (publicUrl: string): CookieSerializeOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path: '/',
  secure: publicUrl.startsWith('https://'),
  maxAge: lifetimeMs / 1000
})
