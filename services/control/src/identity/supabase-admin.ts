import { type AuthError, isAuthApiError } from '@supabase/supabase-js'
import type { Identity } from './identity.ts'
import {
  type Client,
  chosenName,
  createClient,
  guarded,
  requireUser,
  type SupabaseOptions,
  toIdentityUser,
  unexpectedFailure,
  weakPassword
} from './supabase-client.ts'

type AdminCalls = Pick<
  Identity,
  'isConfirmed' | 'findUser' | 'listUsers' | 'setPassword' | 'setName' | 'clearName' | 'setPlan' | 'deleteUser'
>

/** Makes clients with the service role key. They never sign in as a user. */
export const adminClient =
  (options: SupabaseOptions, startDeadline: () => AbortSignal) =>
  (deadline = startDeadline()): Client['admin'] =>
    createClient(options, options.serviceRoleKey, null, deadline).admin

/** Calls with the service role key, which control makes for itself. */
export function adminCalls(options: SupabaseOptions, startDeadline: () => AbortSignal): AdminCalls {
  const admin = adminClient(options, startDeadline)

  return {
    isConfirmed: (id) =>
      guarded(async () => {
        const { data, error } = await admin().getUserById(id)
        if (error !== null) {
          nullIfMissing(error)
          return false
        }
        return (requireUser(data.user).email_confirmed_at ?? null) !== null
      }),

    findUser: (id, deadline) =>
      guarded(async () => {
        const { data, error } = await admin(deadline).getUserById(id)
        if (error !== null) return nullIfMissing(error)
        return unlessDeleted(requireUser(data.user))
      }),

    listUsers: (page, size) =>
      guarded(async () => {
        // The client's own page numbers are ignored: it reads only one digit.
        const { data, error } = await admin().listUsers({ page, perPage: size })
        if (error !== null) throw unexpectedFailure(error)
        if (data.users.length === 0) return null
        return data.users.flatMap((user) => unlessDeleted(requireUser(user)) ?? [])
      }),

    setPassword: (id, password, deadline) =>
      guarded(async () => {
        const { data, error } = await admin(deadline).updateUserById(id, { password })
        if (error === null) return toIdentityUser(requireUser(data.user))
        const weakness = weakPassword(error)
        if (weakness !== null) throw weakness
        return nullIfMissing(error)
      }),

    setName: (id, name) =>
      guarded(async () => {
        // The provider merges: other metadata stays.
        const { data, error } = await admin().updateUserById(id, { user_metadata: chosenName(name) })
        return error === null ? toIdentityUser(requireUser(data.user)) : nullIfMissing(error)
      }),

    clearName: (id, deadline) =>
      guarded(async () => {
        const { data, error } = await admin(deadline).updateUserById(id, { user_metadata: { display_name: null } })
        return error === null ? toIdentityUser(requireUser(data.user)) : nullIfMissing(error)
      }),

    setPlan: (id, plan, deadline) =>
      guarded(async () => {
        const { error } = await admin(deadline).updateUserById(id, { app_metadata: { plan } })
        if (error !== null) nullIfMissing(error)
      }),

    deleteUser: (id) =>
      guarded(async () => {
        const deadline = startDeadline()
        const { error } = await admin(deadline).deleteUser(id)
        if (error !== null) return void nullIfMissing(error)
        // The answer is empty, so another server could have sent it. The second call proves the deletion.
        const { data, error: refused } = await admin(deadline).getUserById(id)
        if (refused === null) throw new Error(`user ${requireUser(data.user).id} still exists after the deletion`)
        nullIfMissing(refused)
      })
  }
}

/** @returns null if the error says that the user does not exist @throws otherwise */
function nullIfMissing(error: AuthError): null {
  // Another server may answer 404 to everything: only the provider's own code counts.
  if (isAuthApiError(error) && error.status === 404 && error.code === 'user_not_found') return null
  throw unexpectedFailure(error)
}

/** Soft-deleted users keep only their id. @returns null for them */
function unlessDeleted(user: ReturnType<typeof requireUser>) {
  return user.deleted_at === undefined || user.deleted_at === null ? toIdentityUser(user) : null
}
