import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram, programDirectories } from '../find-program.ts'

/**
 * Finds the directory of the programs `postgres` and `initdb`: the first on `PATH`, else the newest version under
 * `versions`, Debian's directory for them.
 *
 * @returns null if PostgreSQL is not installed
 */
export function findPostgres(env: Record<string, string | undefined>, versions?: string): string | null {
  return (
    programDirectories(env, versions).find((directory) =>
      ['postgres', 'initdb'].every((name) => isProgram(join(directory, name)))
    ) ?? null
  )
}

/**
 * Finds the ids of the system user `name`.
 *
 * @param passwd the text of the system's user table
 * @returns null if there is no such user
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
