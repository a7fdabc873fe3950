import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { hostCookie, hostCookieAttributes, presentedOnce } from '../callers/host-cookie.ts'

/** A visit to a sign-in provider that this browser began. */
export interface ProviderVisit {
  /** Comes back with the browser. */
  readonly state: string
  /** Proves to Supabase Auth that the code belongs to this visit (PKCE, RFC 7636). */
  readonly verifier: string
  /** Where to go once signed in. */
  readonly next: string
}

/** Supabase Auth accepts a code for five minutes. */
const visitMs = 600_000

/**
 * The cookie that ties a visit to this browser. Over https, its prefix keeps other hosts and http pages from setting
 * it: nobody can make a browser end a visit that somebody else began.
 */
export const visitCookie = (publicUrl: string): string => hostCookie('svc_provider', publicUrl)

/** The provider's page leads back by a link, so `strict` would withhold the cookie. */
export const visitCookieAttributes = (publicUrl: string): CookieSerializeOptions =>
  hostCookieAttributes(publicUrl, visitMs, 'lax')

export function newVisit(next: string): ProviderVisit {
  return { state: randomBytes(32).toString('base64url'), verifier: randomBytes(48).toString('base64url'), next }
}

/** The challenge of a verifier, with the method S256. */
export const challengeOf = ({ verifier }: ProviderVisit): string => hash('sha256', verifier, 'base64url')

export const writeVisit = ({ state, verifier, next }: ProviderVisit): string =>
  `${state}.${verifier}.${Buffer.from(next).toString('base64url')}`

/**
 * @param header `Cookie`
 * @param state the one that came back
 * @returns null unless this browser began the visit
 */
export function readVisit(header: string | undefined, publicUrl: string, state: string): ProviderVisit | null {
  const value = presentedOnce(header, visitCookie(publicUrl))
  if (value === null) return null
  const [begun = '', verifier = '', next = ''] = value.split('.')
  if (begun === '' || verifier === '' || !isSame(begun, state)) return null
  return { state, verifier, next: Buffer.from(next, 'base64url').toString() }
}

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hash('sha256', one), 'hex'), Buffer.from(hash('sha256', other), 'hex'))

/** A user whom a sign-in provider has authenticated, and who must still enter the code of the second factor. */
interface PendingSignIn {
  readonly userId: string
  readonly email: string
  /** When the provider was asked: see `databaseTime`. */
  readonly checkedAt: string
}

const pendingMs = 600_000

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
      const [actual, wanted] = [Buffer.from(signature), Buffer.from(sign(text))]
      if (actual.length !== wanted.length || !timingSafeEqual(actual, wanted)) return null
      const { endsMs, ...pending } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PendingSignIn & {
        endsMs: number
      }
      return endsMs > now.getTime() ? pending : null
    }
  }
}

export const pendingCookie = (publicUrl: string): string => hostCookie('svc_pending', publicUrl)

export const pendingCookieAttributes = (publicUrl: string): CookieSerializeOptions =>
  hostCookieAttributes(publicUrl, pendingMs)

/** @param header `Cookie` */
export function presentedPending(
  header: string | undefined,
  publicUrl: string,
  pendings: PendingSignIns,
  now: Date
): PendingSignIn | null {
  const value = presentedOnce(header, pendingCookie(publicUrl))
  return value === null ? null : pendings.read(value, now)
}
