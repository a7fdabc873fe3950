import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Locks of this process. In a container each start may have the same process id, so the file alone is not enough. */
const locked = new Set<string>()

/**
 * Locks a directory for this process with a file beside it, `<directory>.lock`, which holds the process id. PGlite has no
 * lock of its own, and two processes in one directory destroy it. The lock of a dead process is replaced.
 *
 * @returns a function that releases the lock
 * @throws Error with the directory and the process that has it open
 */
export function lockDirectory(directory: string): () => void {
  const path = `${resolve(directory)}.lock`
  mkdirSync(resolve(directory), { recursive: true })
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
      locked.add(path)
      return () => {
        locked.delete(path)
        rmSync(path, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = readOwner(path)
    if (locked.has(path) || (owner !== null && owner !== process.pid && isAlive(owner))) {
      throw new Error(`the database in ${directory} is open in process ${owner}; only one process may use it`)
    }
    rmSync(path, { force: true })
  }
}

function readOwner(path: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
