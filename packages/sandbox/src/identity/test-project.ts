import assert from 'node:assert/strict'
import { type AuthError, createClient, type SupabaseClient } from '@supabase/supabase-js'
import { type IdentityOptions, type RunningIdentity, startIdentity } from './start-identity.ts'

export const testKeys = { anonKey: 'sb_publishable_test', serviceRoleKey: 'sb_secret_test' }

export interface TestProject extends RunningIdentity {
  /** Creates a client of the real library with the publishable key. */
  client(): SupabaseClient
  /** Creates a client of the real library with the secret key. */
  admin(): SupabaseClient
}

interface Teardown {
  teardown(close: () => Promise<void>): unknown
}

/**
 * Starts a server for a test, on free ports and in memory, without a mail rate limit and with cheap password hashes.
 * The teardown of the test closes it.
 */
export async function startTestProject(t: Teardown, options: Partial<IdentityOptions> = {}): Promise<TestProject> {
  const identity = await startIdentity({
    port: 0,
    mailboxPort: 0,
    siteUrl: 'http://localhost:3000',
    mailFrequencyMs: 0,
    passwordCost: 256,
    ...testKeys,
    ...options
  })
  t.teardown(identity.close)
  return {
    ...identity,
    client: () => newClient(identity.url, testKeys.anonKey),
    admin: () => newClient(identity.url, testKeys.serviceRoleKey)
  }
}

/** Creates a client as a server uses it: without stored sessions and without automatic refreshes. */
export function newClient(url: string, key: string): SupabaseClient {
  return createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } })
}

/** Asserts some members of an error that the client returned. Patterns can match its texts. */
export function assertAuthError(error: AuthError | null, expected: object, message?: string): void {
  const rethrow = () => {
    throw error
  }
  assert.throws(rethrow, expected, message)
}

/** Signs in and returns the session. */
export async function signIn(client: SupabaseClient, email: string, password: string) {
  const { data, error } = await client.auth.signInWithPassword({ email, password })
  if (error !== null) throw error
  return data.session
}
