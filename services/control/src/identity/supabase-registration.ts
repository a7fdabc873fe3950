import type { AuthError } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import { type ClientCalls, captchaOption, chosenName, guarded, requireUser, toIdentityUser } from './supabase-client.ts'
import { isMailRepeat, unexpectedFailure, weakPassword } from './supabase-failure.ts'

/** {@link Identity.register}, with Supabase Auth. */
export function registration({ options, clientFor, closeSession }: ClientCalls): Identity['register'] {
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
        // For a confirmed address the provider returns an invented user without identities (signup.go, `sanitizeUser`). It
        // returns a session only if its operator does not require confirmed addresses.
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
