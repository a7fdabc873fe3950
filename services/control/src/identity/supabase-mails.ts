import type { AuthError } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import type { adminCalls } from './supabase-admin.ts'
import { type ClientCalls, guarded } from './supabase-client.ts'
import { isMailRepeat, unexpectedFailure } from './supabase-failure.ts'

/** Calls that make the provider send a mail. */
export function mailCalls(
  { options, startDeadline, clientFor }: ClientCalls,
  inviteNewcomer: ReturnType<typeof adminCalls>['inviteNewcomer']
): Pick<Identity, 'resendConfirmation' | 'sendRecovery' | 'invite'> {
  return {
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
      const deadline = startDeadline()
      if (await inviteNewcomer(email, redirectTo, deadline)) return 'newcomer'
      return guarded(async () => {
        const { error } = await clientFor(from, deadline).signInWithOtp({
          email,
          options: { shouldCreateUser: false, emailRedirectTo: redirectTo }
        })
        if (error !== null) throw mailFailure(error)
        return 'user' as const
      })
    }
  }
}

function mailFailure(error: AuthError): ServiceError {
  return error.code === 'validation_failed' || error.code === 'email_address_invalid'
    ? new ServiceError('invalid_email', { cause: error })
    : unexpectedFailure(error)
}
