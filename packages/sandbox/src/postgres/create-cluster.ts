import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const options = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']

/**
 * Creates the data directory of an empty PostgreSQL server, in a directory that `user` may write to. What `initdb` makes is
 * kept beside the dependencies, and copied from then on: that takes a quarter of the time.
 *
 * @param programs the directory of `initdb`
 * @param user who owns the files; this process's own user if undefined
 */
export async function createCluster(
  data: string,
  programs: string,
  user: { uid: number; gid: number } | undefined
): Promise<void> {
  const kept = join(cache, `postgres-${hashPrograms(programs)}`)
  if (copyOf(kept, data)) {
    if (user !== undefined) giveTo(data, user)
    return
  }
  await run(join(programs, 'initdb'), ['-D', data, ...options], { cwd: dirname(data), ...user })
  keep(data, kept)
}

/** Other programs have another format: a packaged update changes the size or the time of the file. */
function hashPrograms(programs: string): string {
  const { size, mtimeMs } = statSync(join(programs, 'postgres'))
  return createHash('sha256')
    .update(JSON.stringify([programs, size, mtimeMs, options]))
    .digest('hex')
    .slice(0, 16)
}

/** @returns whether there was something to copy */
function copyOf(kept: string, data: string): boolean {
  try {
    cpSync(kept, data, { recursive: true })
    // Others may not look in: the server refuses a directory that they can.
    chmodSync(data, 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function keep(data: string, kept: string): void {
  const own = `${kept}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  cpSync(data, own, { recursive: true })
  try {
    renameSync(own, kept)
  } catch {
    // Another process did the same and was quicker: a directory replaces none but an empty one.
    rmSync(own, { recursive: true })
  }
}

function giveTo(directory: string, { uid, gid }: { uid: number; gid: number }): void {
  chownSync(directory, uid, gid)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) giveTo(path, { uid, gid })
    else chownSync(path, uid, gid)
  }
}
