import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'

const run = promisify(execFile)

/** PostgreSQL's programs for backups, as an operator calls them. */
export interface PostgresTools {
  /** `pg_dump` in the custom format. */
  dump(url: string, file: string): Promise<void>
  /** `pg_restore` into an empty database, in one transaction. */
  restore(url: string, file: string): Promise<void>
  /** Runs a statement with `psql`. */
  query(url: string, statement: string): Promise<string>
}

/** @returns null if a program is not installed */
export function findPostgresTools(): PostgresTools | null {
  const [pgDump, pgRestore, psql] = ['pg_dump', 'pg_restore', 'psql'].map((name) => findProgram([name]))
  if (pgDump == null || pgRestore == null || psql == null) return null
  return {
    async dump(url, file) {
      await run(pgDump, ['--format=custom', `--file=${file}`, url])
    },
    async restore(url, file) {
      await run(pgRestore, ['--single-transaction', '--exit-on-error', '--no-owner', `--dbname=${url}`, file])
    },
    async query(url, statement) {
      const { stdout } = await run(psql, ['--no-psqlrc', '--tuples-only', '--no-align', '-c', statement, url])
      return stdout.trim()
    }
  }
}
