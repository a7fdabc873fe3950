import type { AuthError } from '@supabase/supabase-js'
import type { Client } from './supabase-client.ts'
import { unexpectedFailure } from './supabase-failure.ts'

/** A session that a mailed link opened; the provider does not tell a recovery from the others. */
const linkMethods = new Set<unknown>(['otp', 'recovery', 'magiclink'])
/** A link is followed to choose a password at once: a session that is older was opened for something else. */
const maxAgeS = 3600
/** Clocks of ours and of the provider's that differ. */
const toleranceS = 60

/**
 * The address that a mailed link proved, if an access token is the provider's, for its users, and of a session that such
 * a link opened within the last hour. The client's own check covers signature and expiry only; all else is checked here.
 *
 * @returns null for any other token
 * @throws ServiceError when the provider cannot be asked for its keys
 */
export async function addressOfLinkSession(
  client: Client,
  accessToken: string,
  issuer: string
): Promise<string | null> {
  if (!isReadable(accessToken)) return null
  const answer = await readClaims(client, accessToken)
  if (answer.error !== null && !isDeadToken(answer.error)) throw unexpectedFailure(answer.error)
  if (answer.data === null) return null
  const { iss, aud, role, sub, amr, email } = answer.data.claims
  if (iss !== issuer || aud !== 'authenticated' || role !== 'authenticated' || typeof sub !== 'string') return null
  const nowS = Date.now() / 1000
  const methods: unknown[] = Array.isArray(amr) ? amr : []
  const isOfLink = methods.some((entry) => {
    const { method, timestamp } = (entry ?? {}) as { method?: unknown; timestamp?: unknown }
    return linkMethods.has(method) && typeof timestamp === 'number' && Math.abs(nowS - timestamp) < maxAgeS + toleranceS
  })
  return isOfLink && typeof email === 'string' ? email : null
}

/** Whether the provider, or the client's own check, says that a token is worth nothing (any more). */
export function isDeadToken(error: AuthError): boolean {
  // The client has lost the code of a session that has ended.
  return error.name === 'AuthSessionMissingError' || deadCodes.has(error.code)
}

const deadCodes = new Set<unknown>(['invalid_jwt', 'bad_jwt', 'no_authorization', 'user_not_found', 'user_banned'])

async function readClaims(client: Client, token: string) {
  try {
    return await client.getClaims(token)
  } catch (error) {
    // A key of the provider's under an algorithm that is not the key's.
    if (error instanceof DOMException) return { data: null, error: null }
    throw error
  }
}

/** The client throws on what is no token, and on algorithms that it does not know. */
function isReadable(token: string): boolean {
  const parts = token.split('.')
  if (parts.length !== 3) return false
  try {
    const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    const algorithm: unknown = header?.alg
    return ['ES256', 'RS256', 'HS256'].includes(String(algorithm)) && typeof claims === 'object' && claims !== null
  } catch {
    return false
  }
}
