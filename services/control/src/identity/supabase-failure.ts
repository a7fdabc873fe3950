import { type AuthError, isAuthWeakPasswordError } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Seconds, if the provider does not say: its token buckets refill one request every ten seconds. */
const defaultRetryAfter = 10

/**
 * The error for a provider failure that no call expects: `too_many_requests`, `captcha_failed` or `identity_unavailable`. The last also covers
 * answers outside the protocol, a refused service key, and failures that only an operator can repair. The log has the cause.
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
