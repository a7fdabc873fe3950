import type { AuthError, User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { foldCase } from '../http/fold-case.ts'
import type { Identity } from './identity.ts'
import {
  type Client,
  type ClientCalls,
  captchaOption,
  createClient,
  guarded,
  isMailRepeat,
  requireUser,
  unexpectedFailure
} from './supabase-client.ts'

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
function mailFailure(error: AuthError): ServiceError {
  return error.code === 'validation_failed' || error.code === 'email_address_invalid'
    ? new ServiceError('invalid_email', { cause: error })
    : unexpectedFailure(error)
}

/** The filter also finds users whose `full_name` has the address: many of them could hide the user. */
const maxFound = 100

/**
 * {@link Identity.invite}, with Supabase Auth.
 *
 * Its templates read `user_metadata` as `.Data`. The data of a request reaches only the mail of a user whom it creates
 * (supabase/auth, internal/api/invite.go and magic_link.go). So control writes the inviter to the metadata of an
 * existing user before the mail, and removes it after it: the inviter's address is theirs.
 *
 * Users can write their own metadata, and whoever registers another person's address writes it, too. Two teams may also
 * invite a person at once. So our templates name the inviter only if `invitation_link` is the link of the mail, which
 * nobody can guess. Without that, for example if the user was not found, the mail names nobody.
 */
export function invitation(
  { options, startDeadline, clientFor }: ClientCalls,
  admin: (deadline?: AbortSignal) => Client['admin']
): Identity['invite'] {
  const { log } = options

  async function findByAddress(email: string, deadline: AbortSignal): Promise<User | null> {
    const client = createClient(options, options.serviceRoleKey, null, deadline, { userFilter: email })
    const { data, error } = await client.admin.listUsers({ page: 1, perPage: maxFound })
    if (error !== null) throw unexpectedFailure(error)
    return data.users.find((user) => foldCase(user.email ?? '') === foldCase(email)) ?? null
  }

  /** The mail is sent: a failure only leaves data behind, which the next invitation replaces. */
  async function removeInviter(id: string): Promise<void> {
    try {
      const user_metadata = { invited_by: null, invitation_link: null }
      const { error } = await admin().updateUserById(id, { user_metadata })
      if (error !== null) throw error
    } catch (err) {
      log.warn({ err, userId: id }, 'the inviter could not be removed from the metadata of an invited user')
    }
  }

  return (email, { link, invitedBy }, from) =>
    guarded(async () => {
      const deadline = startDeadline()
      const data = { invited_by: invitedBy, invitation_link: link }
      const user = await findByAddress(email, deadline)
      let id = user?.id
      try {
        if (user !== null) {
          const { error } = await admin(deadline).updateUserById(user.id, { user_metadata: data })
          if (error !== null) throw unexpectedFailure(error)
        }
        const { data: invited, error } = await admin(deadline).inviteUserByEmail(email, { redirectTo: link, data })
        if (error === null) {
          id = requireUser(invited.user).id
          return 'newcomer' as const
        }
        if (error.code !== 'email_exists') throw unexpectedFailure(error)
        const { error: failure } = await clientFor(from, deadline).signInWithOtp({
          email,
          options: { shouldCreateUser: false, emailRedirectTo: link }
        })
        if (failure !== null) throw mailFailure(failure)
        return 'user' as const
      } finally {
        if (id !== undefined) await removeInviter(id)
      }
    })
}
