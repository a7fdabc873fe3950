import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { SystemError } from './system-error.ts'

/** The permissions of group and others. */
const others = 0o077

/**
 * Creates a directory that only this user can open. Removes the permissions of others from an existing directory and its
 * contents. The directory itself may be a link. Links inside it are not changed or followed.
 *
 * @returns the number of files and directories that others could open, without those inside a private directory
 * @throws SystemError if the directory is not writable, or if something inside belongs to another user
 */
export function makePrivate(directory: string): number {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SystemError(
      `Tollgate cannot write to ${directory} (${code}). Make it writable for your user, or set TOLLGATE_DATA_DIR to a directory that is.`,
      { cause: error }
    )
  }
  return repair(realpathSync(directory), process.getuid?.() ?? null, true)
}

/**
 * @param uid null on systems without file owners
 * @param isReachable whether others can open the parent directory
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
