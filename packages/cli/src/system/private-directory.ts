import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { SystemError } from './system-error.ts'

/** Permissions of the group and of everybody else. */
const others = 0o077

/**
 * Makes a directory that only this user can open, or takes everybody else's permissions from one that exists and all that
 * is in it. The directory itself may be a link to another one. Links in it are left as they are, and not followed.
 *
 * @returns how many files and directories others could open; not those that are in a private directory
 * @throws SystemError when something in it belongs to another user
 */
export function makePrivate(directory: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return repair(realpathSync(directory), process.getuid?.() ?? null, true)
}

/**
 * @param uid null on systems that know no owners
 * @param isReachable whether others can open the directory that it is in
 */
function repair(path: string, uid: number | null, isReachable: boolean): number {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined || entry.isSymbolicLink()) return 0
  if (uid !== null && entry.uid !== uid) {
    throw new SystemError(
      `${path} belongs to another user (uid ${entry.uid}). Start as that user, or set TOLLGATE_DATA_DIR to another directory.`
    )
  }
  const isOpen = (entry.mode & others) !== 0
  if (isOpen) chmodSync(path, entry.mode & 0o777 & ~others)
  let count = isOpen && isReachable ? 1 : 0
  if (!entry.isDirectory()) return count
  for (const name of readdirSync(path)) count += repair(join(path, name), uid, isOpen && isReachable)
  return count
}
