import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Factor } from '@supabase/supabase-js'
import type { WireUser } from '../wire.ts'

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
