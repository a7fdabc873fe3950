import { isIP } from 'node:net'
import { AuthClient, type AuthError, isAuthWeakPasswordError, type User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Identity, IdentityUser } from './identity.ts'
import { isMailRepeat, unexpectedFailure } from './supabase-failure.ts'

type Client = InstanceType<typeof AuthClient>

export type SupabaseOptions = {
  /** Of the project, without a slash at the end; GoTrue is at `/auth/v1` below. */
  url: string
  anonKey: string
  serviceRoleKey: string
  /** Where the link in a mail of an unedited template leads in the end. */
  redirectTo: string
  /** For everything that one call asks of the provider together. */
  timeoutMs?: number
  log: FastifyBaseLogger
}

/**
 * Supabase Auth as the identity provider.
 *
 * Its client remembers the last session that passed through it, so each call makes a client of its own and drops it. The
 * provider session that a password check or a link opens is closed again at once.
 */
export function createSupabaseIdentity(options: SupabaseOptions): Identity {
  const { log, timeoutMs = 5000 } = options
  // Hosted projects believe a forwarded address only next to a secret key. Legacy service role keys are not for this.
  const apiKey = options.serviceRoleKey.startsWith('sb_secret_') ? options.serviceRoleKey : options.anonKey

  function clientFor(from: string): Client {
    const limit = AbortSignal.timeout(timeoutMs)
    return new AuthClient({
      url: `${options.url}/auth/v1`,
      headers: {
        apikey: apiKey,
        Authorization: `Bearer ${apiKey}`,
        ...(isIP(from) !== 0 && { 'Sb-Forwarded-For': from })
      },
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      fetch: (input, init) => fetch(input, { ...init, signal: limit })
    })
  }

  /** Nobody has the session's tokens any more, so one that cannot be closed only takes up room. */
  async function closeSession(client: Client, session: { access_token: string } | null): Promise<void> {
    if (session === null) return
    const { error } = await client.admin.signOut(session.access_token, 'local')
    if (error !== null) log.warn({ err: error }, 'a session at the identity provider could not be closed')
  }

  return {
    register: ({ email, password, name }, from) =>
      guarded(async () => {
        const client = clientFor(from)
        const { data, error } = await client.signUp({
          email,
          password,
          options: { data: { name }, emailRedirectTo: options.redirectTo }
        })
        if (error === null) {
          requireUser(data.user)
          return closeSession(client, data.session)
        }
        if (error.code === 'user_already_exists' || isMailRepeat(error)) return
        throw registerFailure(error)
      }),

    confirm: (tokenHash, type, from) =>
      guarded(async () => {
        const client = clientFor(from)
        const { data, error } = await client.verifyOtp({ token_hash: tokenHash, type })
        if (error !== null) {
          if (deadLink.has(error.code)) return false
          throw unexpectedFailure(error)
        }
        requireUser(data.user)
        await closeSession(client, data.session)
        return true
      }),

    signIn: (email, password, from) =>
      guarded(async () => {
        const client = clientFor(from)
        const { data, error } = await client.signInWithPassword({ email, password })
        if (error !== null) throw signInFailure(error)
        await closeSession(client, data.session)
        return toIdentityUser(data.user)
      })
  }
}

/** The client returns the provider's errors and throws what it did not expect: an answer that is not the protocol's. */
async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('identity_unavailable', { cause })
  }
}

/** The client takes any JSON for success, also of a server that is not the provider. */
function requireUser(user: User | null): void {
  if (user === null) throw new ServiceError('identity_unavailable', { cause: new Error('an answer without a user') })
}

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
  if (isAuthWeakPasswordError(error)) {
    // The provider's words say what its operator demands of a password.
    return new ServiceError('weak_password', { message: error.message, cause: error })
  }
  switch (error.code) {
    case 'email_address_invalid':
    case 'email_address_not_authorized':
      return new ServiceError('invalid_email', { cause: error })
    case 'validation_failed':
      return new ServiceError(/password/i.test(error.message) ? 'weak_password' : 'invalid_email', { cause: error })
    case 'signup_disabled':
    case 'email_provider_disabled':
      return new ServiceError('registration_closed', { cause: error })
    default:
      return unexpectedFailure(error)
  }
}

function toIdentityUser(user: User): IdentityUser {
  const name: unknown = user.user_metadata.name
  const plan: unknown = user.app_metadata.plan
  return {
    id: user.id,
    email: user.email ?? '',
    name: typeof name === 'string' ? name.slice(0, 200) : '',
    plan: plan === undefined || plan === null ? null : typeof plan === 'string' ? plan : JSON.stringify(plan)
  }
}
