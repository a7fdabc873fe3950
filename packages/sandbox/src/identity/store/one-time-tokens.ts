import type { DatabaseSync } from 'node:sqlite'

/** The purpose of a mailed token. A user has at most one token of each kind; a new one replaces the old. */
export type TokenKind = 'confirmation' | 'recovery' | 'email_change_new' | 'email_change_current'

export interface OneTimeToken {
  userId: string
  kind: TokenKind
  /** Unix milliseconds. */
  createdMs: number
}

export interface OneTimeTokens {
  replace(userId: string, kind: TokenKind, tokenHash: string, createdMs: number): void
  /** Finds the token with this hash, if its kind is one of `kinds`. */
  find(tokenHash: string, kinds: readonly TokenKind[]): OneTimeToken | null
  remove(userId: string, kind: TokenKind): void
  removeOfUser(userId: string): void
}

export function createOneTimeTokens(database: DatabaseSync): OneTimeTokens {
  const replace = database.prepare(
    'insert or replace into one_time_tokens (user_id, kind, token_hash, created_ms) values (?, ?, ?, ?)'
  )
  const find = database.prepare('select user_id, created_ms from one_time_tokens where token_hash = ? and kind = ?')
  const remove = database.prepare('delete from one_time_tokens where user_id = ? and kind = ?')
  const removeOfUser = database.prepare('delete from one_time_tokens where user_id = ?')
  return {
    replace: (userId, kind, tokenHash, createdMs) => void replace.run(userId, kind, tokenHash, createdMs),
    find: (tokenHash, kinds) => {
      for (const kind of kinds) {
        const row = find.get(tokenHash, kind)
        if (row !== undefined) return { userId: String(row.user_id), kind, createdMs: Number(row.created_ms) }
      }
      return null
    },
    remove: (userId, kind) => void remove.run(userId, kind),
    removeOfUser: (userId) => void removeOfUser.run(userId)
  }
}
