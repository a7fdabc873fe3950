import type { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../open-sqlite.ts'

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

/**
 * Opens the database of the identity server.
 *
 * @param directory the directory of `identity.sqlite`, made if absent; null keeps everything in memory
 * @throws Error if another process holds the file, or if another version made it
 */
export function openDatabase(directory: string | null): DatabaseSync {
  return openSqlite({ directory, fileName: 'identity.sqlite', schema, version: 1, owner: 'identity server' })
}
