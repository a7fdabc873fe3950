import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const schemaVersion = 1

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
 * Opens the database of the identity server: SQLite, of which a commit outlives a crash of the process or the machine.
 * No other process can open it meanwhile.
 *
 * @param directory where `identity.sqlite` lies or is made; null keeps everything in memory
 * @throws Error when another process has it, or when it is of another version
 */
export function openDatabase(directory: string | null): DatabaseSync {
  if (directory !== null) mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = directory === null ? ':memory:' : join(directory, 'identity.sqlite')
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on'
    )
    inTransaction(database, () => migrate(database, file))
  } catch (error) {
    database.close()
    if (isLocked(error)) throw new Error(`${file} is in use by another identity server.`, { cause: error })
    throw error
  }
  return database
}

/** Runs `change` in one transaction: all of it is stored, or, if it throws, nothing. */
export function inTransaction<Result>(database: DatabaseSync, change: () => Result): Result {
  database.exec('begin exclusive')
  try {
    const result = change()
    database.exec('commit')
    return result
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

function migrate(database: DatabaseSync, file: string): void {
  const version = database.prepare('pragma user_version').get()?.user_version
  if (version === 0) database.exec(`${schema}; pragma user_version = ${schemaVersion}`)
  else if (version !== schemaVersion) {
    throw new Error(`${file} was made by another version of the sandbox (${version}). Remove it to start afresh.`)
  }
}

const sqliteBusy = 5

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
