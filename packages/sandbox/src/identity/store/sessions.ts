import type { DatabaseSync } from 'node:sqlite'
import type { AMREntry } from '@supabase/supabase-js'

export interface StoredSession {
  id: string
  userId: string
  /** The user's sign-in methods. */
  amr: AMREntry[]
  /** `aal2` once a second factor was verified; absent before. */
  aal?: 'aal2'
  /** The number of the active refresh token. Each refresh adds one. */
  refreshCounter: number
  /** The key that signs the session's refresh tokens, base64url. */
  refreshKey: string
  /** The time of the last refresh, or else of the sign-in, in Unix milliseconds. */
  refreshedMs: number
}

export interface Sessions {
  insert(session: StoredSession): void
  update(session: StoredSession): void
  byId(id: string): StoredSession | null
  remove(id: string): void
  /** Ends all sessions of a user except `except` (null: all). */
  removeOfUser(userId: string, except: string | null): void
  /** Ends the sessions of a user in which no second factor was verified. */
  removeOfLowerLevel(userId: string): void
}

export function createSessions(database: DatabaseSync): Sessions {
  const insert = database.prepare('insert into sessions (id, user_id, document) values (?, ?, ?)')
  const update = database.prepare('update sessions set document = ?2 where id = ?1')
  const byId = database.prepare('select document from sessions where id = ?')
  const remove = database.prepare('delete from sessions where id = ?')
  const removeOfUser = database.prepare('delete from sessions where user_id = ?1 and id is not ?2')
  const removeOfLowerLevel = database.prepare(
    "delete from sessions where user_id = ? and document ->> '$.aal' is not 'aal2'"
  )
  return {
    insert: (session) => void insert.run(session.id, session.userId, JSON.stringify(session)),
    update: (session) => void update.run(session.id, JSON.stringify(session)),
    byId: (id) => {
      const row = byId.get(id)
      return row === undefined ? null : JSON.parse(String(row.document))
    },
    remove: (id) => void remove.run(id),
    removeOfUser: (userId, except) => void removeOfUser.run(userId, except),
    removeOfLowerLevel: (userId) => void removeOfLowerLevel.run(userId)
  }
}
