import type { Identity } from './identity.ts'
import { type ClientCalls, guarded, requireUser, toIdentityUser } from './supabase-client.ts'
import { unexpectedFailure } from './supabase-failure.ts'
import { addressOfLinkSession, isInvalidToken } from './supabase-token.ts'

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
