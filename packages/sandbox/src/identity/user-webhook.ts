import type { StoredUser, Users } from './user-store.ts'

export interface UserWebhookSettings {
  /** The URL of the receiver. Called for each report, since the receiver may start later. */
  url(): string
  /** Sent as `Authorization: Bearer <secret>`. */
  readonly secret: string
}

/** Reports changes of users, as a Supabase database webhook on `auth.users` does. */
export interface UserWebhook {
  /** Wraps the users, so that each change is reported. */
  observe(users: Users): Users
  /** Resolves when every report so far was answered or has failed. */
  settled(): Promise<void>
  close(): Promise<void>
}

interface Report {
  type: 'INSERT' | 'UPDATE' | 'DELETE'
  record: StoredUser | null
  old_record: StoredUser | null
}

/** The default of Supabase's dashboard. */
const timeoutMs = 5000

/** @param warn called for reports that failed. As in Supabase, they are not sent again. */
export function createUserWebhook({ url, secret }: UserWebhookSettings, warn: (what: string) => void): UserWebhook {
  const inProgress = new Set<Promise<void>>()
  const closing = new AbortController()

  function report({ type, record, old_record }: Report): void {
    const body = JSON.stringify({
      type,
      table: 'users',
      schema: 'auth',
      record: record && rowOf(record),
      old_record: old_record && rowOf(old_record)
    })
    const sending = send(body).catch((error: Error) => {
      if (!closing.signal.aborted) warn(`Reporting a change of a user to ${url()} failed: ${error.message}`)
    })
    inProgress.add(sending)
    void sending.finally(() => inProgress.delete(sending))
  }

  async function send(body: string): Promise<void> {
    // Transactions are synchronous, so this one is committed by then.
    await new Promise((resolve) => setImmediate(resolve))
    const response = await fetch(url(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal])
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`it answered ${response.status}`)
  }

  const settled = async () => {
    while (inProgress.size > 0) await Promise.all(inProgress)
  }
  return {
    observe: (users) => ({
      ...users,
      insert(user) {
        users.insert(user)
        report({ type: 'INSERT', record: user, old_record: null })
      },
      update(user) {
        const before = users.byId(user.profile.id)
        users.update(user)
        report({ type: 'UPDATE', record: user, old_record: before })
      },
      remove(id) {
        const before = users.byId(id)
        users.remove(id)
        if (before !== null) report({ type: 'DELETE', record: null, old_record: before })
      }
    }),
    settled,
    async close() {
      closing.abort()
      await settled()
    }
  }
}

/** The columns of `auth.users` that are reported. */
function rowOf({ profile }: StoredUser) {
  const { id, aud, role, email, app_metadata, user_metadata, created_at, updated_at } = profile
  return {
    id,
    aud,
    role,
    email,
    raw_app_meta_data: app_metadata,
    raw_user_meta_data: user_metadata,
    email_confirmed_at: profile.email_confirmed_at ?? null,
    banned_until: profile.banned_until ?? null,
    deleted_at: profile.deleted_at ?? null,
    created_at,
    updated_at
  }
}
