import type { AuthError, User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FormProof, Identity } from './identity.ts'
import { adminCalls, adminClient } from './supabase-admin.ts'
import {
  type Client,
  type ClientCalls,
  captchaOption,
  chosenName,
  createClient,
  defaultTimeoutMs,
  guarded,
  isMailRepeat,
  requireUser,
  type SupabaseOptions,
  toCheckedUser,
  toIdentityUser,
  unexpectedFailure,
  weakPassword
} from './supabase-client.ts'
import { activeFactors, factorCalls, verifyCode } from './supabase-factors.ts'
import { linkCalls } from './supabase-links.ts'
import { invitation, mailCalls } from './supabase-mails.ts'
import { providerCalls } from './supabase-providers.ts'

export type { SupabaseOptions } from './supabase-client.ts'

/**
 * Supabase Auth as the identity provider.
 *
 * Its client remembers its last session, so each call makes and drops its own client. A password check or a link opens
 * a session at the provider; control closes it at once.
 *
 * Supabase demands no CAPTCHA of a call with the service role key (supabase/auth, internal/api/middleware.go,
 * `verifyCaptcha`). If forms show one, their calls have the publishable key, and control's own the service role key.
 * Supabase then counts all forms as of control's address.
 */
export function createSupabaseIdentity(options: SupabaseOptions): Identity {
  const { log, timeoutMs = defaultTimeoutMs } = options
  // Hosted projects accept a forwarded address only with a secret key. Legacy service role keys do not work for this.
  const apiKey = options.serviceRoleKey.startsWith('sb_secret_') ? options.serviceRoleKey : options.anonKey
  const startDeadline = () => AbortSignal.timeout(timeoutMs)
  const keyFor = (proof: FormProof | undefined) => {
    if (options.hasCaptcha !== true) return apiKey
    return proof === undefined ? options.serviceRoleKey : options.anonKey
  }
  const clientFor = (from: string, deadline = startDeadline(), proof?: FormProof) =>
    createClient(options, keyFor(proof), from, deadline)

  /** A session that stays open does no harm: its tokens are forgotten. */
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
    deadline: AbortSignal | undefined,
    use: (client: Client, user: User) => Promise<Result>,
    proof?: FormProof
  ): Promise<Result> {
    const client = clientFor(from, deadline, proof)
    const { data, error } = await client.signInWithPassword({ email, password, options: captchaOption(proof) })
    if (error !== null) throw signInFailure(error)
    try {
      return await use(client, requireUser(data.user))
    } finally {
      // The session keeps its id when a second factor is verified, so its first token closes it.
      await closeSession(client, data.session)
    }
  }

  const calls: ClientCalls = { options, startDeadline, clientFor, closeSession }
  return {
    startDeadline,
    ...adminCalls(options, startDeadline),
    ...linkCalls(calls),
    ...mailCalls(calls),
    ...providerCalls(calls, apiKey, adminClient(options, startDeadline)),
    ...factorCalls(withSession, new URL(options.publicUrl).host, adminClient(options, startDeadline)),

    register: registration(calls),
    invite: invitation(calls, adminClient(options, startDeadline)),

    signIn: (email, password, from, deadline, askCode = noCode, proof) =>
      guarded(() => {
        const use = async (client: Client, user: User) => {
          const factors = activeFactors(user)
          if (factors.length > 0) await verifyCode(client, factors, await askCode(user.id))
          return toCheckedUser(user)
        }
        return withSession(email, password, from, deadline, use, proof)
      }),

    checkPassword: (email, password, from, deadline) =>
      guarded(() => withSession(email, password, from, deadline, async () => {})),

    endSession: async (accessToken, deadline) => {
      try {
        await closeSession(createClient(options, apiKey, null, deadline ?? startDeadline()), {
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

/**
 * Refusals before the provider checks the password, also for a banned user. So no answer may tell whether the address
 * is known.
 */
const wrongCredentials = new Set<unknown>(['invalid_credentials', 'validation_failed', 'user_not_found', 'user_banned'])

function signInFailure(error: AuthError): ServiceError {
  if (wrongCredentials.has(error.code)) return new ServiceError('invalid_credentials', { cause: error })
  // The provider says this only after a right password.
  if (error.code === 'email_not_confirmed') return new ServiceError('email_not_confirmed', { cause: error })
  return unexpectedFailure(error)
}

/** {@link Identity.register}, with Supabase Auth. */
function registration({ options, clientFor, closeSession }: ClientCalls): Identity['register'] {
  return ({ email, password, name }, from, proof) =>
    guarded(async () => {
      const client = clientFor(from, undefined, proof)
      const { data, error } = await client.signUp({
        email,
        password,
        options: { data: chosenName(name), emailRedirectTo: `${options.publicUrl}/confirm`, ...captchaOption(proof) }
      })
      if (error === null) {
        const user = requireUser(data.user)
        await closeSession(client, data.session)
        // For a confirmed address the provider returns an invented user without identities (signup.go, `sanitizeUser`).
        // It returns a session only if its operator does not require confirmed addresses.
        return data.session === null && user.identities?.length ? toIdentityUser(user) : null
      }
      if (error.code === 'user_already_exists' || isMailRepeat(error)) return null
      throw registerFailure(error)
    })
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
