import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { presentedCookies } from '../callers/session-cookie.ts'

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
const lifetimeS = 600

/**
 * The cookie that ties a visit to this browser. Over https, its prefix keeps other hosts and http pages from setting it: nobody
 * can make a browser end a visit that somebody else began.
 */
export const visitCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https://') ? '__Host-svc_provider' : 'svc_provider'

export const visitCookieAttributes = (publicUrl: string): CookieSerializeOptions => ({
  httpOnly: true,
  // The provider's page leads back by a link, so `strict` would withhold the cookie.
  sameSite: 'lax',
  path: '/',
  secure: publicUrl.startsWith('https://'),
  maxAge: lifetimeS
})

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
  const [value, second] = presentedCookies(header, visitCookie(publicUrl))
  if (value === undefined || second !== undefined) return null
  const [begun = '', verifier = '', next = ''] = value.split('.')
  if (begun === '' || verifier === '' || !isSame(begun, state)) return null
  return { state, verifier, next: Buffer.from(next, 'base64url').toString() }
}

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hash('sha256', one), 'hex'), Buffer.from(hash('sha256', other), 'hex'))
