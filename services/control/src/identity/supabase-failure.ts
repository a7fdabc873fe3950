import { type AuthError, isAuthWeakPasswordError } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Seconds, when the provider does not say how long: its buckets give a request back every ten. */
const defaultRetryAfter = 10

/**
 * What our callers are told about a failure of the provider that no call expects: it has had enough of us, or it is away.
 * The latter is also said when it answers something that is not its protocol, does not accept our key, or fails in a way
 * that only an operator can mend; the cause is in the log.
 */
export function unexpectedFailure(error: AuthError): ServiceError {
  if (error.status !== 429) return new ServiceError('identity_unavailable', { cause: error })
  const seconds = /after (\d{1,4}) seconds?/.exec(error.message)?.[1]
  return new ServiceError('too_many_requests', {
    cause: error,
    retryAfter: seconds === undefined ? defaultRetryAfter : Math.max(1, Number(seconds))
  })
}

/** Refused because a mail of this kind went to this very user moments ago; other limits are not about the user. */
export function isMailRepeat(error: AuthError): boolean {
  return error.code === 'over_email_send_rate_limit' && /only request this after/.test(error.message)
}

/** @returns null if the error is not about the password */
export function weakPassword(error: AuthError): ServiceError | null {
  // The provider's words say what its operator demands of a password.
  if (isAuthWeakPasswordError(error)) return new ServiceError('weak_password', { message: error.message, cause: error })
  const isPassword = error.code === 'validation_failed' && /password/i.test(error.message)
  return isPassword ? new ServiceError('weak_password', { cause: error }) : null
}
