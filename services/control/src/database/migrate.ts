import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { FastifyBaseLogger } from 'fastify'
import { type Orm, queryRows } from './connect.ts'
import { isDatabaseAway } from './database-away.ts'
import { migrationsFolder } from './migrations-folder.ts'

const journal = JSON.parse(readFileSync(`${migrationsFolder}/meta/_journal.json`, 'utf8')) as {
  entries: Array<{ when: number; tag: string }>
}
/** The first migration: the schema of release 0.3.0, which has its id as that of its last migration. */
const baseline = String(journal.entries[0]!.when)
/** An arbitrary number that nothing else in this database locks. */
const lock = 7_012_846_611

/**
 * Migrates the database to the schema of this release: applies all migrations that it lacks, in order, in one
 * transaction. Replicas that start at once wait for the first and then have nothing to do. A database with later
 * migrations (by a newer replica) stays as it is.
 *
 * @returns the number of applied migrations
 * @throws DatabaseTooOldError
 */
export async function migrate(orm: Orm): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder })
  return orm.transaction(async (tx) => {
    // Waiting for another replica's migrations may exceed the role's statement timeout.
    await tx.execute(sql`set local statement_timeout = 0`)
    await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lock))})`)
    await tx.execute(sql`
      create table if not exists migrations (
        id bigint primary key,
        sha256 text not null,
        applied_at timestamptz not null default now()
      )`)
    const applied = await readApplied(tx)
    assertNotTooOld(applied)
    let count = 0
    for (const { folderMillis, hash, sql: statements } of migrations) {
      if (applied.has(String(folderMillis))) continue
      for (const statement of statements) await tx.execute(sql.raw(statement))
      await tx.execute(sql`insert into migrations (id, sha256) values (${folderMillis}::bigint, ${hash})`)
      count++
    }
    return count
  })
}

/** The schema lacks migrations of this release. */
export class MigrationsPendingError extends Error {
  constructor(count: number) {
    super(
      `the database lacks ${count} ${count === 1 ? 'migration' : 'migrations'} of this release, and AUTO_MIGRATE is false. Run: tollgate migrate`
    )
    this.name = 'MigrationsPendingError'
  }
}

/** The database is of a release before the one that the first migration begins with. */
export class DatabaseTooOldError extends Error {
  constructor() {
    super('the database is of a release before 0.3.0. Upgrade to 0.3.0 first: docs/operate/upgrade.md')
    this.name = 'DatabaseTooOldError'
  }
}

function assertNotTooOld(applied: ReadonlySet<string>): void {
  if (applied.size > 0 && !applied.has(baseline)) throw new DatabaseTooOldError()
}

/**
 * @returns the names of the migrations that the database lacks. Needs no right but to read.
 * @throws DatabaseTooOldError
 */
export async function listPendingMigrations(orm: Orm): Promise<string[]> {
  const applied = await readApplied(orm)
  assertNotTooOld(applied)
  return journal.entries.filter(({ when }) => !applied.has(String(when))).map(({ tag }) => tag)
}

/**
 * Counts the migrations that the database has, also those of a newer release, and those of this release that it lacks.
 */
export async function countMigrations(orm: Orm): Promise<{ applied: number; pending: number }> {
  const applied = await readApplied(orm)
  return { applied: applied.size, pending: journal.entries.filter(({ when }) => !applied.has(String(when))).length }
}

async function readApplied(orm: Orm): Promise<ReadonlySet<string>> {
  const [table] = await queryRows<{ name: string | null }>(orm, sql`select to_regclass('migrations')::text as name`)
  const rows = table?.name == null ? [] : await queryRows<{ id: string }>(orm, sql`select id::text from migrations`)
  return new Set(rows.map(({ id }) => id))
}

/** How long a start waits for a database that is starting, too. */
const maxWaitMs = 30_000
const retryMs = 500

type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>

/**
 * Runs {@link migrate}, and retries it for up to half a minute while the database is unavailable. Replicas of the release
 * before serve meanwhile, and lock the same tables in another order: after a deadlock, nothing was changed, and it is
 * retried, too.
 */
export async function migrateWhenReachable(orm: Orm, log: Log): Promise<void> {
  const count = await whenReachable(() => migrate(orm), log)
  if (count > 0) log.info({ count }, 'database migrated')
}

/**
 * Checks that the database has all migrations, and changes nothing. Waits for the database as
 * {@link migrateWhenReachable}.
 *
 * @throws MigrationsPendingError, DatabaseTooOldError
 */
export async function assertMigratedWhenReachable(orm: Orm, log: Log): Promise<void> {
  const { length } = await whenReachable(() => listPendingMigrations(orm), log)
  if (length > 0) throw new MigrationsPendingError(length)
}

/** SQLSTATE deadlock_detected. */
const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && ((error.cause ?? error) as { code?: unknown }).code === '40P01'

async function whenReachable<Result>(work: () => Promise<Result>, log: Log): Promise<Result> {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    try {
      return await work()
    } catch (err) {
      const isBlocked = isDeadlock(err)
      if (!(isBlocked || isDatabaseAway(err)) || performance.now() > deadline) throw err
      log.warn({ err }, isBlocked ? 'other replicas use the tables; retrying' : 'the database is unavailable; retrying')
      await delay(retryMs)
    }
  }
}
