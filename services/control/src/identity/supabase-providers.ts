import type { AuthError, User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import {
  type Client,
  type ClientCalls,
  createClient,
  guarded,
  requireUser,
  toCheckedUser,
  toIdentityUser,
  unexpectedFailure
} from './supabase-client.ts'
import { activeFactors, verifyCode } from './supabase-factors.ts'

/** The code is wrong, used or expired, or its user may not sign in. */
const refusedCodes = new Set<unknown>([
  'bad_code_verifier',
  'flow_state_not_found',
  'flow_state_expired',
  'validation_failed',
  'user_not_found',
  'user_banned'
])

/** Calls for sign-in providers such as GitHub. Supabase Auth talks to the providers; control sees only their users. */
export function providerCalls(
  { options, startDeadline, clientFor, closeSession }: ClientCalls,
  apiKey: string,
  admin: (deadline?: AbortSignal) => Client['admin']
): Pick<Identity, 'providerPage' | 'acceptProviderCode' | 'checkCode'> {
  return {
    providerPage: (provider, codeChallenge, redirectTo) =>
      `${options.url}/auth/v1/authorize?${new URLSearchParams({
        provider,
        redirect_to: redirectTo,
        code_challenge: codeChallenge,
        code_challenge_method: 's256'
      })}`,

    acceptProviderCode: (code, verifier, from, deadline = startDeadline()) =>
      guarded(async () => {
        const client = createClient(options, apiKey, from, deadline, { verifier })
        const { data, error } = await client.exchangeCodeForSession(code)
        if (error !== null) {
          if (refusedCodes.has(error.code)) return null
          throw unexpectedFailure(error)
        }
        const user = requireUser(data.user)
        await closeSession(client, data.session)
        return { ...toIdentityUser(user), isAddressVerified: isAddressVerified(user) }
      }),

    checkCode: (email, askCode, from, deadline = startDeadline()) =>
      guarded(async () => {
        // The provider checks codes only in a session of the user. This link is mailed to nobody.
        const { data: link, error: failure } = await admin(deadline).generateLink({ type: 'recovery', email })
        if (failure !== null) throw linkFailure(failure)
        const client = clientFor(from, deadline)
        const tokenHash = link.properties.hashed_token
        const { data, error } = await client.verifyOtp({ token_hash: tokenHash, type: 'recovery' })
        if (error !== null) throw linkFailure(error)
        try {
          const user = requireUser(data.user)
          const factors = activeFactors(user)
          if (factors.length > 0) await verifyCode(client, factors, await askCode(user.id))
          return toCheckedUser(user)
        } finally {
          await closeSession(client, data.session)
        }
      })
  }
}

function linkFailure(error: AuthError): ServiceError {
  return refusedCodes.has(error.code) || error.code === 'otp_expired'
    ? new ServiceError('not_authenticated', { cause: error })
    : unexpectedFailure(error)
}

/**
 * Whether every sign-in provider of the user vouches for the user's address.
 *
 * All of them, not only the one just used: anyone who ever had a session of this user at Supabase may have added
 * another provider with an address of their own.
 */
export function isAddressVerified({ email, email_confirmed_at: confirmedAt, identities = [] }: User): boolean {
  const claims = identities.filter(({ provider }) => provider !== 'email').map(({ identity_data: data }) => data ?? {})
  const isSame = (address: unknown) => typeof address === 'string' && address.toLowerCase() === email?.toLowerCase()
  return (
    typeof confirmedAt === 'string' &&
    claims.length > 0 &&
    claims.every((data) => isSame(data.email) && data.email_verified === true)
  )
}
