import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { AMREntry, Factor } from '@supabase/supabase-js'
import { openSqlite } from '../open-sqlite.ts'
import type { WireUser } from './wire.ts'

const schema = `
  create table users (
    sequence integer primary key autoincrement, id text not null unique, email text unique, document text not null
  ) strict;
  create table sessions (
    id text primary key, user_id text not null references users (id) on delete cascade, document text not null
  ) strict;
  create index sessions_of_user on sessions (user_id);
  create table one_time_tokens (
    user_id text not null references users (id) on delete cascade, kind text not null, token_hash text not null,
    created_ms integer not null, primary key (user_id, kind)
  ) strict;
  create index one_time_tokens_by_hash on one_time_tokens (token_hash);
  create table signing_keys (kid text primary key, private_jwk text not null) strict;
  create table mails (
    sequence integer primary key autoincrement, id text not null unique, is_read integer not null default 0,
    document text not null
  ) strict;
`

export interface StoredUser {
  /** The user in the API. `phone` is empty, because phone sign-in is not supported. */
  profile: WireUser
  /** null for a user who cannot sign in with a password. */
  passwordHash: string | null
  /** Whether the first of the two mails of an address change was confirmed. */
  isEmailChangeHalfConfirmed: boolean
  /** Second factors. */
  factors?: StoredFactor[]
}

/** A second factor with its secret and the challenges that wait for a code. */
export interface StoredFactor {
  factor: Factor<'totp'>
  /** Base32. */
  secret: string
  challenges: StoredChallenge[]
}

export interface StoredChallenge {
  id: string
  /** Address of the client that asked for it. */
  ip: string
  /** Unix milliseconds. */
  createdMs: number
  isVerified: boolean
}

export interface UserPage {
  users: StoredUser[]
  /** Number of matching users on all pages. */
  total: number
}

/** The stored users. {@link Users.insert} and {@link Users.update} throw if another user has the address. */
export interface Users {
  insert(user: StoredUser): void
  update(user: StoredUser): void
  remove(id: string): void
  byId(id: string): StoredUser | null
  /** @param email in upper or lower case */
  byEmail(email: string): StoredUser | null
  /** A page of users, newest first. `filter` is a part of the address or of `user_metadata.full_name`. */
  page(number: number, size: number, filter: string): UserPage
}

export function createUsers(database: DatabaseSync): Users {
  const insert = database.prepare('insert into users (id, email, document) values (?, ?, ?)')
  const update = database.prepare('update users set email = ?2, document = ?3 where id = ?1')
  const remove = database.prepare('delete from users where id = ?')
  const byId = database.prepare('select document from users where id = ?')
  const byEmail = database.prepare('select document from users where email = ?')
  const matching = `from users where ?1 = '' or instr(email, ?1) > 0
    or instr(lower(document ->> '$.profile.user_metadata.full_name'), lower(?1)) > 0`
  const page = database.prepare(`select document ${matching} order by sequence desc limit ?2 offset ?3`)
  const count = database.prepare(`select count(*) as total ${matching}`)
  return {
    insert: (user) => void insert.run(user.profile.id, user.profile.email, JSON.stringify(user)),
    update: (user) => void update.run(user.profile.id, user.profile.email, JSON.stringify(user)),
    remove: (id) => void remove.run(id),
    byId: (id) => read(byId.get(id)),
    byEmail: (email) => read(byEmail.get(email.toLowerCase())),
    page: (number, size, filter) => ({
      users: page.all(filter, size, (number - 1) * size).flatMap((row) => read(row) ?? []),
      total: Number(count.get(filter)?.total)
    })
  }
}

function read(row: Record<string, SQLOutputValue> | undefined): StoredUser | null {
  return row === undefined ? null : JSON.parse(String(row.document))
}

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

/**
 * Opens the database of the identity server.
 *
 * @param directory the directory of `identity.sqlite`, made if absent; null keeps everything in memory
 * @throws Error if another process holds the file, or if another version made it
 */
export function openDatabase(directory: string | null): DatabaseSync {
  return openSqlite({ directory, fileName: 'identity.sqlite', schema, version: 1, owner: 'identity server' })
}
