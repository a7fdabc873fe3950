import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const options = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']

/**
 * Creates the data directory of an empty PostgreSQL server, in a directory that `user` can write to. The first result of
 * `initdb` is cached beside the dependencies and copied later, which takes a quarter of the time.
 *
 * @param programs the directory of `initdb`
 * @param user the owner of the files; the user of this process if undefined
 */
export async function createCluster(
  data: string,
  programs: string,
  user: { uid: number; gid: number } | undefined
): Promise<void> {
  const cached = join(cacheDirectory, `postgres-${hashPrograms(programs)}`)
  if (copyCached(cached, data)) {
    if (user !== undefined) changeOwner(data, user)
    return
  }
  await run(join(programs, 'initdb'), ['-D', data, ...options], { cwd: dirname(data), ...user })
  cache(data, cached)
}

/** Identifies the installed PostgreSQL, as another version has another format. An update changes the file's size or time. */
function hashPrograms(programs: string): string {
  const { size, mtimeMs } = statSync(join(programs, 'postgres'))
  return createHash('sha256')
    .update(JSON.stringify([programs, size, mtimeMs, options]))
    .digest('hex')
    .slice(0, 16)
}

/** @returns whether the cache had a copy */
function copyCached(cached: string, data: string): boolean {
  try {
    cpSync(cached, data, { recursive: true })
    // The server refuses a directory that others can read.
    chmodSync(data, 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function cache(data: string, cached: string): void {
  const own = `${cached}.${process.pid}`
  mkdirSync(cacheDirectory, { recursive: true })
  cpSync(data, own, { recursive: true })
  try {
    renameSync(own, cached)
  } catch {
    // Another process was faster: a rename only replaces an empty directory.
    rmSync(own, { recursive: true })
  }
}

function changeOwner(directory: string, { uid, gid }: { uid: number; gid: number }): void {
  chownSync(directory, uid, gid)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) changeOwner(path, { uid, gid })
    else chownSync(path, uid, gid)
  }
}
