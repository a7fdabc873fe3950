import type { PGlite } from '@electric-sql/pglite'
import { lockDirectory } from './directory-lock.ts'

/** Whether this process can open `pglite:` URLs. The package cannot: see without-pglite.ts. */
export const hasPglite: boolean = true

/** The default of 128 MB would be cleared at every start. Other pages are in this process's memory or cached files. */
const pgliteSettings = ['-c', 'shared_buffers=16MB']

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
  return {
    orm: drizzle(client),
    connections: 1,
    async close() {
      if (!client.closed) await client.close()
      unlock?.()
    }
  }
}
