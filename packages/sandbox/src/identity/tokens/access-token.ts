import { errors, jwtVerify, SignJWT } from 'jose'
import { GoTrueError } from '../errors.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { SigningKey } from '../store/signing-key.ts'
import type { AccessTokenClaims, WireUser } from '../wire.ts'

export interface IssuedAccessToken {
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
