import { hkdfSync } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { hostCookie, hostCookieAttributes, presentedOnce } from '../callers/host-cookie.ts'
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
      const value = presentedOnce(header, registrationCookie(publicUrl))
      const text = value === null ? null : unseal(keys, place, value)
      if (text === null) return null
      const { endsMs, ...registration } = JSON.parse(text) as Registration & { endsMs: number }
      return endsMs > now.getTime() ? registration : null
    }
  }
}

export const registrationCookie = (publicUrl: string): string => hostCookie('svc_registration', publicUrl)

/** The page that the link opens sends the cookie itself, so other sites never need to. */
export const registrationCookieAttributes = (publicUrl: string): CookieSerializeOptions =>
  hostCookieAttributes(publicUrl, lifetimeMs, 'strict')
