import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Claims of this process. In a container every start may have the same process id, so the file alone cannot tell. */
const held = new Set<string>()

/**
 * Claims a directory for this process by a file beside it, `<directory>.lock`, that holds the process id. PGlite has no
 * lock of its own, and two processes in one directory destroy it. A file left by a process that died is taken over.
 *
 * @returns a function that gives the claim up
 * @throws Error naming the directory and the process that has it
 */
export function lockDirectory(directory: string): () => void {
  const path = `${resolve(directory)}.lock`
  mkdirSync(resolve(directory), { recursive: true })
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
      held.add(path)
      return () => {
        held.delete(path)
        rmSync(path, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = readOwner(path)
    if (held.has(path) || (owner !== null && owner !== process.pid && isAlive(owner))) {
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
