import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const debianDirectory = '/usr/lib/postgresql'

/**
 * The directory that holds PostgreSQL's programs `postgres` and `initdb`: the first one on `PATH`, else the newest
 * version under `versions`, where Debian keeps them off the PATH.
 *
 * @returns null when PostgreSQL is not installed
 */
export function findPostgres(env: Record<string, string | undefined>, versions = debianDirectory): string | null {
  const onPath = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const installed = listVersions(versions).map((version) => join(versions, version, 'bin'))
  return (
    [...onPath, ...installed].find((directory) =>
      ['postgres', 'initdb'].every((name) => canRun(join(directory, name)))
    ) ?? null
  )
}

/** Newest first. */
function listVersions(directory: string): string[] {
  try {
    return readdirSync(directory).sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
  } catch {
    return []
  }
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
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
