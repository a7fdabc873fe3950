import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { presentedCookies } from '../callers/session-cookie.ts'

/** A user whom a sign-in provider has authenticated, and who must still enter the code of the second factor. */
export interface PendingSignIn {
  readonly userId: string
  readonly email: string
  /** When the provider was asked: see `databaseTime`. */
  readonly checkedAt: string
}

export const pendingMs = 600_000

/** Signs pending sign-ins. All replicas have the same key, and nothing is stored. */
export interface PendingSignIns {
  write(pending: PendingSignIn, now: Date): string
  /** @returns null if the value is not ours or too old */
  read(value: string, now: Date): PendingSignIn | null
}

/** @param secret a secret of all replicas */
export function createPendingSignIns(secret: string): PendingSignIns {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'tollgate pending sign-in', 32))
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    write: (pending, now) => {
      const text = Buffer.from(JSON.stringify({ ...pending, endsMs: now.getTime() + pendingMs })).toString('base64url')
      return `${text}.${sign(text)}`
    },
    read: (value, now) => {
      const [text = '', signature = ''] = value.split('.')
      // As bytes: a text of the same length may have more of them.
      const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(text))]
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
      const { endsMs, ...pending } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PendingSignIn & {
        endsMs: number
      }
      return endsMs > now.getTime() ? pending : null
    }
  }
}

/** Over https, the prefix keeps other hosts and http pages from setting the cookie. */
export const pendingCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https://') ? '__Host-svc_pending' : 'svc_pending'

export const pendingCookieAttributes = (publicUrl: string): CookieSerializeOptions => ({
  httpOnly: true,
  sameSite: 'lax',
  path: '/',
  secure: publicUrl.startsWith('https://'),
  maxAge: pendingMs / 1000
})

/** @param header `Cookie` */
export function presentedPending(
  header: string | undefined,
  publicUrl: string,
  pendings: PendingSignIns,
  now: Date
): PendingSignIn | null {
  const [value, second] = presentedCookies(header, pendingCookie(publicUrl))
  return value === undefined || second !== undefined ? null : pendings.read(value, now)
}
