import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { GoTrueError } from './errors.ts'
import type { SigningKey } from './token-store.ts'
import type { StoredSession } from './user-store.ts'
import type { AccessTokenClaims, WireUser } from './wire.ts'

// The newer of GoTrue's two formats: a token contains its session and its number, signed with the session's key. So the
// server stores only a counter for each session. Clients treat tokens as opaque.

const version = 0
const idLength = 16
const macLength = 16
const counterLength = 6
const length = 1 + idLength + counterLength + macLength

export interface RefreshTokenContent {
  /** A UUID. */
  sessionId: string
  /** From 0 to 2^48 - 1. */
  counter: number
}

/** Makes a key for the refresh tokens of a session, base64url. */
export function newRefreshKey(): string {
  return randomBytes(32).toString('base64url')
}

export function encodeRefreshToken({ sessionId, counter }: RefreshTokenContent, refreshKey: string): string {
  const content = Buffer.alloc(1 + idLength + counterLength)
  content.writeUInt8(version)
  content.write(sessionId.replaceAll('-', ''), 1, 'hex')
  content.writeUIntBE(counter, 1 + idLength, counterLength)
  return Buffer.concat([content, sign(content, refreshKey)]).toString('base64url')
}

/** Decodes a token; null for another format. The content is trusted only after {@link isRefreshTokenOf}. */
export function decodeRefreshToken(token: string): RefreshTokenContent | null {
  const bytes = Buffer.from(token, 'base64url')
  // Base64 decoding accepts several spellings, so this compares the text with the exact one.
  if (bytes.length !== length || bytes.readUInt8() !== version || bytes.toString('base64url') !== token) return null
  const id = bytes.toString('hex', 1, 1 + idLength)
  return {
    sessionId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: bytes.readUIntBE(1 + idLength, counterLength)
  }
}

/** Whether the session with this key issued the token. */
export function isRefreshTokenOf(token: string, refreshKey: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, length - macLength)
  return bytes.length === length && timingSafeEqual(bytes.subarray(length - macLength), sign(content, refreshKey))
}

function sign(content: Buffer, refreshKey: string): Buffer {
  return createHmac('sha256', Buffer.from(refreshKey, 'base64url')).update(content).digest().subarray(0, macLength)
}

/** The decision about a presented refresh token. */
type RefreshDecision = 'rotate' | 'return_active' | 'end_session' | 'not_issued'

interface RefreshFacts {
  /** The number of the active token. */
  activeCounter: number
  presentedCounter: number
  sinceLastRefreshMs: number
  reuseIntervalMs: number
}

/**
 * Decides about a refresh token as GoTrue does (internal/tokens/service.go). The active token is replaced with a new
 * one. The token before it always gets the active one, since the client may have missed the answer. Older tokens get it
 * only within the reuse interval, for concurrent clients. Any other use counts as theft and ends the session.
 */
export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const behind = facts.activeCounter - facts.presentedCounter
  if (behind < 0) return 'not_issued'
  if (behind === 0) return 'rotate'
  if (behind === 1 || facts.sinceLastRefreshMs < facts.reuseIntervalMs) return 'return_active'
  return 'end_session'
}

interface IssuedAccessToken {
  token: string
  /** Unix seconds. */
  expiresAt: number
}

/** The claims of a verified token. An API key has no `userId` and no `sessionId`. */
export interface VerifiedClaims {
  userId: string | null
  sessionId: string | null
  role: string
}

/**
 * Issues an access token that contains the user's data.
 *
 * @param issuer `<url>/auth/v1`
 */
export async function issueAccessToken(
  key: SigningKey,
  issuer: string,
  user: WireUser,
  session: StoredSession,
  issuedAtS: number,
  lifetimeS: number
): Promise<IssuedAccessToken> {
  const claims: AccessTokenClaims = {
    email: user.email,
    phone: user.phone,
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    role: user.role,
    aal: session.aal ?? 'aal1',
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous
  }
  const expiresAt = issuedAtS + lifetimeS
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject(user.id)
    .setAudience(user.aud)
    .setIssuedAt(issuedAtS)
    .setExpirationTime(expiresAt)
    .sign(key.privateKey)
  return { token, expiresAt }
}

/** @throws GoTrueError 403 `bad_jwt` for an expired token, or one that this server did not sign */
export async function verifyAccessToken(key: SigningKey, token: string, now: Date): Promise<VerifiedClaims> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key.publicKey, {
      algorithms: ['ES256'],
      currentDate: now
    })
    if (protectedHeader.kid !== key.kid) throw new errors.JWKSNoMatchingKey('unrecognized JWT kid')
    return {
      userId: payload.sub === undefined || payload.sub === '' ? null : payload.sub,
      sessionId: typeof payload.session_id === 'string' ? payload.session_id : null,
      role: typeof payload.role === 'string' ? payload.role : ''
    }
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    const reason = error instanceof errors.JWTExpired ? 'token has invalid claims: token is expired' : error.message
    throw new GoTrueError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${reason}`)
  }
}
