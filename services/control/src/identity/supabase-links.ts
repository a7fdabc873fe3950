import type { Identity } from './identity.ts'
import { type ClientCalls, guarded, requireUser, toIdentityUser } from './supabase-client.ts'
import { unexpectedFailure } from './supabase-failure.ts'
import { addressOfLinkSession, isDeadToken } from './supabase-token.ts'

/** Links that let somebody choose a password: a token is of one type, and only the provider knows which. */
const passwordLinks = ['recovery', 'invite'] as const

/** Wrong, used up, expired, or of a user who has gone. */
const deadLink = new Set<unknown>(['otp_expired', 'validation_failed', 'user_not_found', 'user_banned'])

/** Calls that accept the links of mails. */
export function linkCalls({
  options,
  clientFor,
  closeSession
}: ClientCalls): Pick<Identity, 'confirm' | 'acceptRecovery' | 'acceptLinkSession'> {
  return {
    confirm: (tokenHash, type, from, limit) =>
      guarded(async () => {
        const client = clientFor(from, limit)
        const { data, error } = await client.verifyOtp({ token_hash: tokenHash, type })
        if (error !== null) {
          if (deadLink.has(error.code)) return null
          throw unexpectedFailure(error)
        }
        const user = toIdentityUser(requireUser(data.user))
        await closeSession(client, data.session)
        return user
      }),

    acceptRecovery: (tokenHash, from, limit) =>
      guarded(async () => {
        const client = clientFor(from, limit)
        for (const type of passwordLinks) {
          const { data, error } = await client.verifyOtp({ token_hash: tokenHash, type })
          if (error === null) {
            const user = toIdentityUser(requireUser(data.user))
            await closeSession(client, data.session)
            return user
          }
          if (!deadLink.has(error.code)) throw unexpectedFailure(error)
        }
        return null
      }),

    acceptLinkSession: (accessToken, from, limit) =>
      guarded(async () => {
        const client = clientFor(from, limit)
        const email = await addressOfLinkSession(client, accessToken, options.issuer ?? `${options.url}/auth/v1`)
        if (email === null) return null
        // The token is genuine; whether its session and its user still are, only the provider can say.
        const { data, error } = await client.getUser(accessToken)
        if (error === null) {
          const user = toIdentityUser(requireUser(data.user))
          return user.email.toLowerCase() === email.toLowerCase() ? user : null
        }
        if (isDeadToken(error)) return null
        throw unexpectedFailure(error)
      })
  }
}
