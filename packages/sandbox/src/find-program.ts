import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Debian keeps the programs of servers here, off the PATH of ordinary users. */
const serverDirectories = ['/usr/sbin', '/usr/local/sbin']
const debianPostgres = '/usr/lib/postgresql'

/**
 * The directories to search for a program: those of `PATH`, then Debian's directories for servers, the newest
 * PostgreSQL first. With `ONLY_PROGRAMS_ON_PATH=true` only those of `PATH`, so that a shorter `PATH` hides programs
 * from tests.
 *
 * @param versions Debian's directory with a folder for each PostgreSQL version
 */
export function programDirectories(env: Record<string, string | undefined>, versions = debianPostgres): string[] {
  const onPath = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  if (env.ONLY_PROGRAMS_ON_PATH === 'true') return onPath
  return [...onPath, ...serverDirectories, ...listVersions(versions).map((version) => join(versions, version, 'bin'))]
}

/**
 * Finds the first of these programs that this machine has, in the order of the names.
 *
 * @returns its absolute path; null if none is installed
 */
export function findProgram(
  names: readonly string[],
  env: Record<string, string | undefined> = process.env
): string | null {
  const directories = programDirectories(env)
  const paths = names.flatMap((name) => directories.map((directory) => join(directory, name)))
  return paths.find(isProgram) ?? null
}

/** Whether `path` is an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Newest first. */
function listVersions(directory: string): string[] {
  try {
    return readdirSync(directory).sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
  } catch {
    return []
  }
}
