import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { type Test, test } from 'tap'
import { type Database, openDatabase } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { createDatabase } from './create-database.ts'
import { newPgliteDirectory, type PgliteContent, removePgliteDirectory } from './pglite-directory.ts'

/** @returns the URL of an empty database */
export type NewDatabase = () => Promise<string>

/**
 * Runs a suite on a real PostgreSQL, or on PGlite if PostgreSQL is not installed. For tests of behaviour that needs a
 * database. `.ci/run` does both.
 */
export function onDatabase(name: string, suite: (t: Test, newDatabase: NewDatabase) => Promise<void>): void {
  test(name, async (t) => {
    const server = await startPostgres()
    if (server === null && process.env.CI !== 'true') return suite(t, async () => 'pglite:memory')
    if (!need(t, 'PostgreSQL', server)) return
    t.after(() => server.stop())
    await suite(t, () => createDatabase(server.url))
  })
}

/** Runs a suite on PGlite and again on a real PostgreSQL. For tests of SQL. */
export function onEachDatabase(name: string, suite: (t: Test, newDatabase: NewDatabase) => Promise<void>): void {
  test(`${name}, on PGlite`, (t) => suite(t, async () => 'pglite:memory'))
  test(`${name}, on PostgreSQL`, async (t) => {
    const server = await startPostgres()
    if (!need(t, 'PostgreSQL', server)) return
    t.after(() => server.stop())
    await suite(t, () => createDatabase(server.url))
  })
}

/** `openDatabase`, but `pglite:memory` opens a copied directory, which is faster. */
export async function openTestDatabase(url: string): Promise<Database> {
  return url === 'pglite:memory' ? openCopy('empty') : openDatabase(url)
}

/** {@link openTestDatabase} and `migrate`. */
export async function openMigratedDatabase(url: string, poolSize?: number): Promise<Database> {
  if (url === 'pglite:memory') return openCopy('migrated')
  const database = await openDatabase(url, { ...(poolSize !== undefined && { poolSize }) })
  await migrate(database.orm)
  return database
}

async function openCopy(content: PgliteContent): Promise<Database> {
  const directory = await newPgliteDirectory(content)
  const database = await openDatabase(`pglite:${directory}`)
  return {
    ...database,
    async close() {
      await database.close()
      removePgliteDirectory(directory)
    }
  }
}
