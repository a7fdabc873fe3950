import type { StoredUser, Users } from './store/users.ts'

export interface UserWebhookSettings {
  /** Where reports go. Asked for each of them, since the receiver may start later. */
  url(): string
  /** Sent as `Authorization: Bearer <secret>`. */
  readonly secret: string
}

/** Reports changes of users, as a database webhook of Supabase on `auth.users` does. */
export interface UserWebhook {
  /** The users, with every change of theirs reported. */
  observe(users: Users): Users
  /** Resolves when every report so far has been answered or given up. */
  settled(): Promise<void>
  close(): Promise<void>
}

type Report = { type: 'INSERT' | 'UPDATE' | 'DELETE'; record: StoredUser | null; old_record: StoredUser | null }

/** As in a webhook that is made in Supabase's dashboard. */
const timeoutMs = 5000

/** @param warn told of reports that were not taken; as in Supabase, they are not sent again */
export function createUserWebhook({ url, secret }: UserWebhookSettings, warn: (what: string) => void): UserWebhook {
  const underWay = new Set<Promise<void>>()
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
      if (!closing.signal.aborted) warn(`A change of a user could not be reported to ${url()}: ${error.message}`)
    })
    underWay.add(sending)
    void sending.finally(() => underWay.delete(sending))
  }

  async function send(body: string): Promise<void> {
    // Transactions are synchronous: by then this one is committed.
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
    while (underWay.size > 0) await Promise.all(underWay)
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

/** Some columns of `auth.users`. */
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
