import type { AuthError, User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import { adminCalls, adminClient } from './supabase-admin.ts'
import {
  type Client,
  createClient,
  defaultTimeoutMs,
  guarded,
  requireUser,
  type SupabaseOptions,
  toCheckedUser,
  toIdentityUser
} from './supabase-client.ts'
import { activeFactors, factorCalls, verifyCode } from './supabase-factors.ts'
import { isMailRepeat, unexpectedFailure, weakPassword } from './supabase-failure.ts'
import { addressOfLinkSession, isDeadToken } from './supabase-token.ts'

export type { SupabaseOptions } from './supabase-client.ts'

/**
 * Supabase Auth as the identity provider.
 *
 * Its client remembers the last session that passed through it, so each call makes a client of its own and drops it. The
 * provider session that a password check or a link opens is closed again at once. The service role key is only used by
 * clients that never sign anybody in.
 */
export function createSupabaseIdentity(options: SupabaseOptions): Identity {
  const { log, timeoutMs = defaultTimeoutMs } = options
  // Hosted projects believe a forwarded address only next to a secret key. Legacy service role keys are not for this.
  const apiKey = options.serviceRoleKey.startsWith('sb_secret_') ? options.serviceRoleKey : options.anonKey
  const startLimit = () => AbortSignal.timeout(timeoutMs)
  const clientFor = (from: string, limit = startLimit()) => createClient(options.url, apiKey, from, limit)

  /** Nobody has the session's tokens any more, so one that cannot be closed only takes up room. */
  async function closeSession(client: Client, session: { access_token: string } | null): Promise<void> {
    if (session === null) return
    const { error } = await client.admin.signOut(session.access_token, 'local')
    if (error !== null) log.warn({ err: error }, 'a session at the identity provider could not be closed')
  }

  /** See {@link WithSession}. @throws ServiceError `invalid_credentials`, `email_not_confirmed` */
  async function withSession<Result>(
    email: string,
    password: string,
    from: string,
    limit: AbortSignal | undefined,
    use: (client: Client, user: User) => Promise<Result>
  ): Promise<Result> {
    const client = clientFor(from, limit)
    const { data, error } = await client.signInWithPassword({ email, password })
    if (error !== null) throw signInFailure(error)
    try {
      return await use(client, requireUser(data.user))
    } finally {
      // The session keeps its id when a second factor is verified, so its first token closes it.
      await closeSession(client, data.session)
    }
  }

  const { inviteNewcomer, ...admin } = adminCalls(options, startLimit)
  return {
    startLimit,
    ...admin,
    ...factorCalls(withSession, new URL(options.publicUrl).host, adminClient(options, startLimit)),

    register: ({ email, password, name }, from) =>
      guarded(async () => {
        const client = clientFor(from)
        const { data, error } = await client.signUp({
          email,
          password,
          options: { data: { name }, emailRedirectTo: `${options.publicUrl}/confirm` }
        })
        if (error === null) {
          const user = requireUser(data.user)
          await closeSession(client, data.session)
          // For a confirmed address the provider makes up a user, who has no identities (signup.go, `sanitizeUser`). With a
          // session, its operator wants no addresses confirmed.
          return data.session === null && user.identities?.length ? toIdentityUser(user) : null
        }
        if (error.code === 'user_already_exists' || isMailRepeat(error)) return null
        throw registerFailure(error)
      }),

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

    signIn: (email, password, from, limit, askCode = noCode) =>
      guarded(() =>
        withSession(email, password, from, limit, async (client, user) => {
          const factors = activeFactors(user)
          if (factors.length > 0) await verifyCode(client, factors, await askCode(user.id))
          return toCheckedUser(user)
        })
      ),

    checkPassword: (email, password, from, limit) =>
      guarded(() => withSession(email, password, from, limit, async () => {})),

    resendConfirmation: (email, from) =>
      guarded(async () => {
        const { error } = await clientFor(from).resend({
          type: 'signup',
          email,
          options: { emailRedirectTo: `${options.publicUrl}/confirm` }
        })
        if (error !== null && !isMailRepeat(error)) throw mailFailure(error)
      }),

    sendRecovery: (email, from) =>
      guarded(async () => {
        const redirectTo = `${options.publicUrl}/reset-password`
        const { error } = await clientFor(from).resetPasswordForEmail(email, { redirectTo })
        if (error !== null && !isMailRepeat(error)) throw mailFailure(error)
      }),

    invite: async (email, redirectTo, from) => {
      const limit = startLimit()
      if (await inviteNewcomer(email, redirectTo, limit)) return 'newcomer'
      return guarded(async () => {
        const { error } = await clientFor(from, limit).signInWithOtp({
          email,
          options: { shouldCreateUser: false, emailRedirectTo: redirectTo }
        })
        if (error !== null) throw mailFailure(error)
        return 'user' as const
      })
    },

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
      }),

    endSession: async (accessToken, limit) => {
      try {
        await closeSession(createClient(options.url, apiKey, null, limit ?? startLimit()), {
          access_token: accessToken
        })
      } catch (err) {
        log.warn({ err }, 'a session at the identity provider could not be closed')
      }
    }
  }
}

const noCode = async (): Promise<never> => {
  throw new ServiceError('second_factor_required')
}

/** Links that let somebody choose a password: a token is of one type, and only the provider knows which. */
const passwordLinks = ['recovery', 'invite'] as const

/** Wrong, used up, expired, or of a user who has gone. */
const deadLink = new Set<unknown>(['otp_expired', 'validation_failed', 'user_not_found', 'user_banned'])

/**
 * What the provider refuses before it looks at the password, also of a user whom it banned: so none of it may tell that
 * the address is known.
 */
const wrongCredentials = new Set<unknown>(['invalid_credentials', 'validation_failed', 'user_not_found', 'user_banned'])

function signInFailure(error: AuthError): ServiceError {
  if (wrongCredentials.has(error.code)) return new ServiceError('invalid_credentials', { cause: error })
  // Said only after the password was right.
  if (error.code === 'email_not_confirmed') return new ServiceError('email_not_confirmed', { cause: error })
  return unexpectedFailure(error)
}

function registerFailure(error: AuthError): ServiceError {
  const weakness = weakPassword(error)
  if (weakness !== null) return weakness
  switch (error.code) {
    case 'email_address_invalid':
    case 'email_address_not_authorized':
    case 'validation_failed':
      return new ServiceError('invalid_email', { cause: error })
    case 'signup_disabled':
    case 'email_provider_disabled':
      return new ServiceError('registration_closed', { cause: error })
    default:
      return unexpectedFailure(error)
  }
}

function mailFailure(error: AuthError): ServiceError {
  return error.code === 'validation_failed' || error.code === 'email_address_invalid'
    ? new ServiceError('invalid_email', { cause: error })
    : unexpectedFailure(error)
}
