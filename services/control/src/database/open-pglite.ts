import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'

/** Locks of this process. In a container each start may have the same process id, so the file alone is not enough. */
const locked = new Set<string>()

/**
 * Locks a directory for this process with a file beside it, `<directory>.lock`, which holds the process id. PGlite has
 * no lock of its own, and two processes in one directory destroy it. The lock of a dead process is replaced.
 *
 * @returns a function that releases the lock
 * @throws Error with the directory and the process that has it open
 */
function lockDirectory(directory: string): () => void {
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

/** Whether this process can open `pglite:` URLs. The package cannot: see without-pglite.ts. */
export const hasPglite: boolean = true

/** The default of 128 MB would be cleared at every start. Other pages are in this process's memory or cached files. */
const pgliteSettings = ['-c', 'shared_buffers=16MB']

/**
 * Gives the parsers that queries name to all queries from then on. Drizzle names the same in each, and PGlite would copy
 * its 318 for each of them, which took two fifths of the CPU time of a short query.
 */
function shareParsers(client: PGlite): void {
  const share = (queries: Pick<PGlite, 'query'>) => {
    const query = queries.query.bind(queries)
    queries.query = (text, params, { parsers, ...options } = {}) => {
      Object.assign(client.parsers, parsers)
      return query(text, params, options)
    }
  }
  share(client)
  const transaction = client.transaction.bind(client)
  client.transaction = (work) =>
    transaction((queries) => {
      share(queries)
      return work(queries)
    })
}

/**
 * Opens PostgreSQL inside this process.
 *
 * @param directory null for a database in memory
 */
export async function openPglite(directory: string | null) {
  const [{ PGlite }, { drizzle }] = await Promise.all([import('@electric-sql/pglite'), import('drizzle-orm/pglite')])
  const unlock = directory === null ? null : lockDirectory(directory)
  let client: PGlite
  try {
    const startParams = [...PGlite.defaultStartParams, ...pgliteSettings]
    client = await PGlite.create({ startParams, ...(directory !== null && { dataDir: directory }) })
  } catch (error) {
    unlock?.()
    throw error
  }
  shareParsers(client)
  return {
    orm: drizzle(client),
    connections: 1,
    async close() {
      if (!client.closed) await client.close()
      unlock?.()
    }
  }
}
