import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface SqliteFile {
  /** The directory of the file, created if absent; null keeps everything in memory. */
  readonly directory: string | null
  readonly fileName: string
  /** SQL that creates the tables. */
  readonly schema: string
  /** Version of the schema. */
  readonly version: number
  /** The program that uses the file, for the error "in use by another identity server". */
  readonly owner: string
}

/**
 * Opens the SQLite database of an embedded server. Commits survive a crash of the process or the machine. Only
 * one process at a time can use the file.
 *
 * @throws Error if another process uses the file, or if it has another version of the schema
 */
export function openSqlite({ directory, fileName, schema, version, owner }: SqliteFile): DatabaseSync {
  if (directory !== null) mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = directory === null ? ':memory:' : join(directory, fileName)
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on'
    )
    inTransaction(database, () => migrate(database, file, schema, version))
  } catch (error) {
    database.close()
    if (isLocked(error)) throw new Error(`${file} is in use by another ${owner}.`, { cause: error })
    throw error
  }
  return database
}

/** Runs `change` in one transaction. If it throws, the transaction is rolled back. */
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

function migrate(database: DatabaseSync, file: string, schema: string, wanted: number): void {
  const version = database.prepare('pragma user_version').get()?.user_version
  if (version === 0) database.exec(`${schema}; pragma user_version = ${wanted}`)
  else if (version !== wanted) {
    throw new Error(`${file} has the format of another sandbox version (${version}). Delete it to start without data.`)
  }
}

const sqliteBusy = 5

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
