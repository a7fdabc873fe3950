import { isIP } from 'node:net'
import { AuthClient, type AuthError, isAuthWeakPasswordError, type User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { cutText } from '@tollgate/service/text.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type OnProviderCall, timedFetch } from '../provider-health/provider-health.ts'
import { type CheckedUser, type FormProof, type IdentityUser, readOperatorRole } from './identity.ts'

export type Client = InstanceType<typeof AuthClient>

export interface SupabaseOptions {
  /** The project's URL, without a slash at the end. GoTrue is at `/auth/v1`. */
  url: string
  anonKey: string
  serviceRoleKey: string
  /** `iss` of the project's tokens. Default: `<url>/auth/v1`. */
  issuer?: string
  /** The origin of our pages. Links in mails from unedited templates finally redirect there. */
  publicUrl: string
  /** Whether forms show a CAPTCHA, which the project demands. Default: no. */
  hasCaptcha?: boolean
  /** For all requests of one call together. */
  timeoutMs?: number
  log: FastifyBaseLogger
  /** Called with the key, path and status of each answer. */
  onAnswer?: (apiKey: string, path: string, status: number) => void
  onCall?: OnProviderCall
}

export const defaultTimeoutMs = 5000

/** What calls for a user share. */
export interface ClientCalls {
  readonly options: SupabaseOptions
  /** Starts the deadline of one call. */
  startDeadline(): AbortSignal
  /**
   * @param from the client's IP address
   * @param proof of a form; with it, the project may demand a CAPTCHA
   */
  clientFor(from: string, deadline?: AbortSignal, proof?: FormProof): Client
  /** Closes a session at the provider. It only logs a failure: nobody else has the session's tokens. */
  closeSession(client: Client, session: { access_token: string } | null): Promise<void>
}

/**
 * A client of GoTrue for one call only: it remembers its last session.
 *
 * @param from the client's IP address; null if control asks for itself
 * @param more `verifier`: of the code that this client exchanges. `userFilter`: lists of users have only those whose
 *   address or
 * `full_name` contains it; the library has no parameter for that
 */
export function createClient(
  { url, onAnswer, onCall = () => {} }: Pick<SupabaseOptions, 'url' | 'onAnswer' | 'onCall'>,
  apiKey: string,
  from: string | null,
  deadline: AbortSignal,
  { verifier, userFilter }: { verifier?: string; userFilter?: string } = {}
): Client {
  return new AuthClient({
    url: `${url}/auth/v1`,
    headers: {
      apikey: apiKey,
      Authorization: `Bearer ${apiKey}`,
      ...(from !== null && isIP(from) !== 0 && { 'Sb-Forwarded-For': from })
    },
    // The client keeps its session in its own memory, unless it has a storage.
    persistSession: verifier !== undefined,
    ...(verifier !== undefined && { storage: storageOf(verifier) }),
    autoRefreshToken: false,
    detectSessionInUrl: false,
    fetch: async (input, init) => {
      const target = userFilter === undefined ? input : `${input}&${new URLSearchParams({ filter: userFilter })}`
      const response = await timedFetch(onCall, target, { ...init, signal: deadline })
      onAnswer?.(apiKey, new URL(response.url).pathname, response.status)
      return response
    }
  })
}

/** Where the client looks for the verifier, and puts the session. It is dropped with the client. */
function storageOf(verifier: string) {
  const stored = new Map<string, string>()
  return {
    getItem: (name: string) =>
      name.endsWith('-code-verifier') ? JSON.stringify(verifier) : (stored.get(name) ?? null),
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name)
  }
}

/** The option of the library's calls for the answer to a CAPTCHA. */
export const captchaOption = (proof: FormProof | undefined): { captchaToken?: string } =>
  proof?.captchaToken === undefined ? {} : { captchaToken: proof.captchaToken }

/** The client returns the provider's errors, and throws on an answer outside the protocol. */
export async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('identity_unavailable', { cause })
  }
}

/** The client accepts any JSON as success, also from another server. */
export function requireUser(user: User | null): User {
  if (typeof user?.id === 'string') return user
  throw new ServiceError('identity_unavailable', { cause: new Error('an answer without a user') })
}

/**
 * The metadata of a name that the user chose. Supabase overwrites `name` at every sign-in with a provider, even before
 * the second factor. No provider writes `display_name` (supabase/auth, internal/api/provider/provider.go, `Claims`).
 */
export const chosenName = (name: string) => ({ name, display_name: name })

/** As the API accepts. */
const maxNameLength = 200

export function toIdentityUser(user: User): IdentityUser {
  // Sign-in providers give one or more of the last three.
  const { display_name: chosen, name: own, full_name: fullName, user_name: userName } = user.user_metadata
  const name: unknown = chosen || own || fullName || userName
  const plan: unknown = user.app_metadata.plan
  return {
    id: user.id,
    email: user.email ?? '',
    name: typeof name === 'string' ? cutText(name, { length: maxNameLength }) : '',
    plan: plan === undefined || plan === null ? null : typeof plan === 'string' ? plan : JSON.stringify(plan),
    ...readOperatorRole(user.app_metadata.role),
    isBanned: user.banned_until !== undefined && Date.parse(user.banned_until) > Date.now()
  }
}

/** The most time between two rows from one admin API call. Nobody receives and opens a mail that fast. */
const oneCallMs = 1000

/**
 * Adds whether an operator confirmed the address when they created the user. Three facts show it:
 *
 * - No confirmation mail was sent. This alone is not enough: a password change clears `confirmation_sent_at`
 *   (supabase/auth, internal/models/user.go, `UpdatePassword`), and any session at the provider can change the
 *   password.
 * - The call that created the user confirmed the address. Users cannot change `created_at` and `email_confirmed_at`.
 * - The user still has that address. A change of address leaves `email_confirmed_at` as it was, but sets
 *   `email_verified` of the identity (supabase/auth, internal/api/verify.go, `emailChangeVerify`). The operator's call
 *   leaves it false.
 */
export function toCheckedUser(user: User): CheckedUser {
  const { confirmation_sent_at: sentAt, email_confirmed_at: confirmedAt, created_at: createdAt } = user
  const tookMs = Date.parse(confirmedAt ?? '') - Date.parse(createdAt)
  const isConfirmedByOperator = (sentAt ?? null) === null && tookMs <= oneCallMs && hasFirstAddress(user)
  return { ...toIdentityUser(user), isConfirmedByOperator }
}

function hasFirstAddress({ identities = [] }: User): boolean {
  const ofAddress = identities.find(({ provider }) => provider === 'email')
  return ofAddress !== undefined && ofAddress.identity_data?.email_verified !== true
}

/** Seconds, if the provider does not say: its token buckets refill one request every ten seconds. */
const defaultRetryAfter = 10

/**
 * The error for a provider failure that no call expects: `too_many_requests`, `captcha_failed` or
 * `identity_unavailable`. The last also covers answers outside the protocol, a refused service key, and failures that
 * only an operator can repair. The log has the cause.
 */
export function unexpectedFailure(error: AuthError): ServiceError {
  if (error.code === 'captcha_failed') return new ServiceError('captcha_failed', { cause: error })
  if (error.status !== 429) return new ServiceError('identity_unavailable', { cause: error })
  const seconds = /after (\d{1,4}) seconds?/.exec(error.message)?.[1]
  return new ServiceError('too_many_requests', {
    cause: error,
    retryAfter: seconds === undefined ? defaultRetryAfter : Math.max(1, Number(seconds))
  })
}

/** Whether the provider refuses because this user got such a mail moments ago. Other limits are not about the user. */
export function isMailRepeat(error: AuthError): boolean {
  return error.code === 'over_email_send_rate_limit' && /only request this after/.test(error.message)
}

/** @returns null if the error is not about the password */
export function weakPassword(error: AuthError): ServiceError | null {
  // The provider's message says what its operator requires.
  if (isAuthWeakPasswordError(error)) return new ServiceError('weak_password', { message: error.message, cause: error })
  const isPassword = error.code === 'validation_failed' && /password/i.test(error.message)
  return isPassword ? new ServiceError('weak_password', { cause: error }) : null
}
