import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram, programDirectories } from '../find-program.ts'

/**
 * The directory that holds PostgreSQL's programs `postgres` and `initdb`: the first one on `PATH`, else the newest
 * version under `versions`, where Debian keeps them off the PATH.
 *
 * @returns null when PostgreSQL is not installed
 */
export function findPostgres(env: Record<string, string | undefined>, versions?: string): string | null {
  return (
    programDirectories(env, versions).find((directory) =>
      ['postgres', 'initdb'].every((name) => isProgram(join(directory, name)))
    ) ?? null
  )
}

/**
 * The ids of the system user `name`.
 *
 * @param passwd the text of the system's user table
 * @returns null when there is no such user
 */
export function findUser(
  name: string,
  passwd = readFileSync('/etc/passwd', 'utf8')
): { uid: number; gid: number } | null {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name)
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]) }
}
