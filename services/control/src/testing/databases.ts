import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { type RunningPostgres, startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import { afterGroup } from '@tollgate/sandbox/testing/after-group.ts'
import { type Test, test } from 'tap'
import { type Database, openDatabase } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { createDatabase } from './create-database.ts'
import { leaseDatabase, leasePglite } from './lease-database.ts'
import { newPgliteDirectory, type PgliteContent, removePgliteDirectory } from './pglite-directory.ts'

/** A connection costs PostgreSQL about as much as a short test. */
const usualPoolSize = 2

/** Makes a database that has all migrations, or none with `'empty'`. @returns its URL */
export type NewDatabase = (content?: PgliteContent) => Promise<string>

/**
 * Runs a suite on a real PostgreSQL, or on PGlite if PostgreSQL is not installed. For tests of behaviour that needs a
 * database. `.ci/run` does both.
 */
export function onDatabase(name: string, suite: (t: Test, newDatabase: NewDatabase) => Promise<void>): void {
  test(name, async (t) => {
    const server = await sharedPostgres()
    if (server === null && process.env.CI !== 'true') return suite(t, async () => 'pglite:memory')
    if (need(t, 'PostgreSQL', server)) await suite(t, onServer(t, server))
  })
}

/**
 * Runs a suite on PostgreSQL and on PGlite. For tests of SQL. `npm test` runs it on PGlite only if PostgreSQL is not
 * installed.
 */
export function onEachDatabase(name: string, suite: (t: Test, newDatabase: NewDatabase) => Promise<void>): void {
  test(`${name}, on PostgreSQL`, async (t) => {
    const server = await sharedPostgres()
    if (need(t, 'PostgreSQL', server)) await suite(t, onServer(t, server))
  })
  if (testsAll || findPostgres(process.env) === null)
    test(`${name}, on PGlite`, (t) => suite(t, async () => 'pglite:memory'))
}

/**
 * For a test that several processes or replicas need. @returns null if PostgreSQL is not installed, and the test is
 * skipped
 */
export async function newServerDatabase(t: Test): Promise<string | null> {
  const server = await sharedPostgres()
  return need(t, 'PostgreSQL', server) ? onServer(t, server)() : null
}

let shared: Promise<RunningPostgres | null> | undefined

/** The PostgreSQL of all tests of this process that only use it; null if it is not installed. */
function sharedPostgres(): Promise<RunningPostgres | null> {
  shared ??= startPostgres({ unref: true, settings: { autovacuum: 'off' } }).then((server) => {
    if (server !== null) afterGroup(() => server.stop())
    return server
  })
  return shared
}

/** New databases until the end of the test. */
function onServer(t: Test, server: RunningPostgres): NewDatabase {
  return async (content = 'migrated') => {
    if (content === 'empty') return createDatabase(server.url)
    const { url, giveBack } = await leaseDatabase(server)
    t.after(giveBack)
    return url
  }
}

/** `openDatabase`, but `pglite:memory` opens the copy of an empty directory, which is faster. */
export async function openTestDatabase(url: string): Promise<Database> {
  return url === 'pglite:memory' ? openCopy('empty') : openDatabase(url)
}

/**
 * Opens a database, and applies the migrations that it lacks.
 *
 * @param url by default an own database of the shared PostgreSQL, or of PGlite without it, until `close`
 */
export async function openMigratedDatabase(url?: string, poolSize = usualPoolSize): Promise<Database> {
  const options = { poolSize }
  const server = url === undefined ? await sharedPostgres() : null
  if (server !== null) {
    const leased = await leaseDatabase(server)
    return closedBy(await openDatabase(leased.url, options), leased.giveBack)
  }
  if (url === undefined || url === 'pglite:memory') return leasePglite(() => openCopy('migrated'))
  const database = await openDatabase(url, options)
  await migrate(database.orm)
  return database
}

async function openCopy(content: PgliteContent): Promise<Database> {
  const directory = await newPgliteDirectory(content)
  return closedBy(await openDatabase(`pglite:${directory}`), async () => removePgliteDirectory(directory))
}

/** The same database. `remove` follows its `close`. */
function closedBy(database: Database, remove: () => Promise<void>): Database {
  return {
    ...database,
    async close() {
      await database.close()
      await remove()
    }
  }
}
