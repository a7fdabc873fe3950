import type { AuthError } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import { type ClientCalls, captchaOption, guarded } from './supabase-client.ts'
import { isMailRepeat, unexpectedFailure } from './supabase-failure.ts'

/** Calls that make the provider send a mail. */
export function mailCalls({ options, clientFor }: ClientCalls): Pick<Identity, 'resendConfirmation' | 'sendRecovery'> {
  return {
    resendConfirmation: (email, from, proof) =>
      guarded(async () => {
        const { error } = await clientFor(from, undefined, proof).resend({
          type: 'signup',
          email,
          options: { emailRedirectTo: `${options.publicUrl}/confirm`, ...captchaOption(proof) }
        })
        if (error !== null && !isMailRepeat(error)) throw mailFailure(error)
      }),

    sendRecovery: (email, from, proof) =>
      guarded(async () => {
        const redirectTo = `${options.publicUrl}/reset-password`
        const { error } = await clientFor(from, undefined, proof).resetPasswordForEmail(email, {
          redirectTo,
          ...captchaOption(proof)
        })
        if (error !== null && !isMailRepeat(error)) throw mailFailure(error)
      })
  }
}

/** The failure of a call that sends a mail. */
export function mailFailure(error: AuthError): ServiceError {
  return error.code === 'validation_failed' || error.code === 'email_address_invalid'
    ? new ServiceError('invalid_email', { cause: error })
    : unexpectedFailure(error)
}
