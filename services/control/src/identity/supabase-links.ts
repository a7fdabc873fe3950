import type { AuthError } from '@supabase/supabase-js'
import type { Identity } from './identity.ts'
import {
  type Client,
  type ClientCalls,
  guarded,
  requireUser,
  toIdentityUser,
  unexpectedFailure
} from './supabase-client.ts'

/** Links to choose a password. A token has one type, and only the provider knows which. */
const passwordLinks = ['recovery', 'invite'] as const

/** The link is wrong, used or expired, or its user is banned or does not exist. */
const invalidLinkCodes = new Set<unknown>(['otp_expired', 'validation_failed', 'user_not_found', 'user_banned'])

/** Calls that accept mailed links. */
export function linkCalls({
  options,
  clientFor,
  closeSession
}: ClientCalls): Pick<Identity, 'confirm' | 'acceptRecovery' | 'acceptLinkSession'> {
  return {
    confirm: (tokenHash, type, from, deadline) =>
      guarded(async () => {
        const client = clientFor(from, deadline)
        const { data, error } = await client.verifyOtp({ token_hash: tokenHash, type })
        if (error !== null) {
          if (invalidLinkCodes.has(error.code)) return null
          throw unexpectedFailure(error)
        }
        const user = toIdentityUser(requireUser(data.user))
        await closeSession(client, data.session)
        return user
      }),

    acceptRecovery: (tokenHash, from, deadline) =>
      guarded(async () => {
        const client = clientFor(from, deadline)
        for (const type of passwordLinks) {
          const { data, error } = await client.verifyOtp({ token_hash: tokenHash, type })
          if (error === null) {
            const user = toIdentityUser(requireUser(data.user))
            await closeSession(client, data.session)
            return user
          }
          if (!invalidLinkCodes.has(error.code)) throw unexpectedFailure(error)
        }
        return null
      }),

    acceptLinkSession: (accessToken, from, deadline) =>
      guarded(async () => {
        const client = clientFor(from, deadline)
        const email = await addressOfLinkSession(client, accessToken, options.issuer ?? `${options.url}/auth/v1`)
        if (email === null) return null
        // The token is genuine. Only the provider knows whether its session and user still exist.
        const { data, error } = await client.getUser(accessToken)
        if (error === null) {
          const user = toIdentityUser(requireUser(data.user))
          return user.email.toLowerCase() === email.toLowerCase() ? user : null
        }
        if (isInvalidToken(error)) return null
        throw unexpectedFailure(error)
      })
  }
}

/** Sign-in methods of mailed links. The provider does not tell recovery links from others. */
const linkMethods = new Set<unknown>(['otp', 'recovery', 'magiclink'])
/** Users follow a link to choose a password at once. An older session had another purpose. */
const maxAgeS = 3600
/** For a difference between our clock and the provider's. */
const toleranceS = 60

/**
 * The address that a mailed link proved. The access token must be the provider's, and of a session that such a link
 * opened in the last hour. The client itself checks only signature and expiry; the rest is checked here.
 *
 * @returns null for any other token
 * @throws ServiceError if the provider's keys cannot be read
 */
async function addressOfLinkSession(client: Client, accessToken: string, issuer: string): Promise<string | null> {
  if (!isReadable(accessToken)) return null
  const answer = await readClaims(client, accessToken)
  if (answer.error !== null && !isInvalidToken(answer.error)) throw unexpectedFailure(answer.error)
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

/** Whether the provider, or the client's own check, says that a token is invalid. */
function isInvalidToken(error: AuthError): boolean {
  // The client drops the error code for an ended session.
  return error.name === 'AuthSessionMissingError' || invalidTokenCodes.has(error.code)
}

const invalidTokenCodes = new Set<unknown>([
  'invalid_jwt',
  'bad_jwt',
  'no_authorization',
  'user_not_found',
  'user_banned'
])

async function readClaims(client: Client, token: string) {
  try {
    return await client.getClaims(token)
  } catch (error) {
    // The token names a key of the provider, but another algorithm.
    if (error instanceof DOMException) return { data: null, error: null }
    throw error
  }
}

/** Whether the client can read the token: it throws on other texts, and on unknown algorithms. */
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
