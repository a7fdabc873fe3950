import { type AuthError, isAuthApiError } from '@supabase/supabase-js'
import type { Identity } from './identity.ts'
import {
  type Client,
  createClient,
  guarded,
  requireUser,
  type SupabaseOptions,
  toIdentityUser
} from './supabase-client.ts'
import { unexpectedFailure, weakPassword } from './supabase-failure.ts'

type AdminCalls = Pick<
  Identity,
  'isConfirmed' | 'findUser' | 'listUsers' | 'setPassword' | 'setName' | 'setPlan' | 'deleteUser'
> & {
  /** Mails an invitation to an address that nobody has confirmed yet. @returns false for a confirmed one */
  inviteNewcomer(email: string, redirectTo: string, limit: AbortSignal): Promise<boolean>
}

/** Makes clients with the service role key, which are never signed in as anybody. */
export const adminClient =
  ({ url, serviceRoleKey }: SupabaseOptions, startLimit: () => AbortSignal) =>
  (limit = startLimit()): Client['admin'] =>
    createClient(url, serviceRoleKey, null, limit).admin

/** What we ask with the service role key: always for ourselves. */
export function adminCalls(options: SupabaseOptions, startLimit: () => AbortSignal): AdminCalls {
  const admin = adminClient(options, startLimit)

  return {
    isConfirmed: (id) =>
      guarded(async () => {
        const { data, error } = await admin().getUserById(id)
        if (error !== null) {
          absent(error)
          return false
        }
        return (requireUser(data.user).email_confirmed_at ?? null) !== null
      }),

    findUser: (id, limit) =>
      guarded(async () => {
        const { data, error } = await admin(limit).getUserById(id)
        if (error !== null) return absent(error)
        return unlessDeleted(requireUser(data.user))
      }),

    listUsers: (page, size) =>
      guarded(async () => {
        // What the client says of further pages is not read: it understands numbers of one digit.
        const { data, error } = await admin().listUsers({ page, perPage: size })
        if (error !== null) throw unexpectedFailure(error)
        if (data.users.length === 0) return null
        return data.users.flatMap((user) => unlessDeleted(requireUser(user)) ?? [])
      }),

    setPassword: (id, password, limit) =>
      guarded(async () => {
        const { data, error } = await admin(limit).updateUserById(id, { password })
        if (error === null) return toIdentityUser(requireUser(data.user))
        const weakness = weakPassword(error)
        if (weakness !== null) throw weakness
        return absent(error)
      }),

    setName: (id, name) =>
      guarded(async () => {
        // The provider merges: what else stands in the metadata stays.
        const { data, error } = await admin().updateUserById(id, { user_metadata: { name } })
        return error === null ? toIdentityUser(requireUser(data.user)) : absent(error)
      }),

    setPlan: (id, plan, limit) =>
      guarded(async () => {
        const { error } = await admin(limit).updateUserById(id, { app_metadata: { plan } })
        if (error !== null) absent(error)
      }),

    inviteNewcomer: (email, redirectTo, limit) =>
      guarded(async () => {
        const { data, error } = await admin(limit).inviteUserByEmail(email, { redirectTo })
        if (error?.code === 'email_exists') return false
        if (error !== null) throw unexpectedFailure(error)
        requireUser(data.user)
        return true
      }),

    deleteUser: (id) =>
      guarded(async () => {
        const limit = startLimit()
        const { error } = await admin(limit).deleteUser(id)
        if (error !== null) return void absent(error)
        // The answer is empty, and so could be anybody's. Who is promised to be deleted has to be.
        const { data, error: refused } = await admin(limit).getUserById(id)
        if (refused === null) throw new Error(`${requireUser(data.user).id} is there after being deleted`)
        absent(refused)
      })
  }
}

/** @returns null if the error says that there is no such user @throws otherwise */
function absent(error: AuthError): null {
  // A server that is not the provider may answer 404 to everything: only the provider's own word counts.
  if (isAuthApiError(error) && error.status === 404 && error.code === 'user_not_found') return null
  throw unexpectedFailure(error)
}

/** Softly deleted users keep their id and nothing else. */
function unlessDeleted(user: ReturnType<typeof requireUser>) {
  return user.deleted_at === undefined || user.deleted_at === null ? toIdentityUser(user) : null
}
