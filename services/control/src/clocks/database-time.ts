import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/**
 * A time that is the same for all replicas, whatever their own clocks say, as a part of a statement. Leases, and when something is due,
 * are judged by it: else a replica whose clock is ahead would repeat what another one is still doing.
 */
export type SharedTime = () => SQL

/** The time of PostgreSQL when the statement began, in whole ms. Stable within the statement, so that an index can find what is due. */
export const databaseClock: SharedTime = () => sql`date_trunc('milliseconds', statement_timestamp())`

/** Some milliseconds after a time, or before it. */
export const timeAfter = (time: SharedTime, ms: number): SQL =>
  sql`(${time()} + ${ms}::float8 * interval '1 millisecond')`

/** PostgreSQL's time in whole ms since the epoch, as a column of a query. */
export const databaseNowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::float8`.mapWith(Number)

/** Reads PostgreSQL's time in whole ms since the epoch. @throws the query's error */
export async function readDatabaseTime(orm: Orm): Promise<number> {
  return Date.parse(await databaseTime(orm))
}

/** Reads PostgreSQL's time with its microseconds, in ISO 8601. @throws the query's error */
export async function databaseTime(orm: Orm): Promise<string> {
  const [row] = await queryRows<{ now: string }>(orm, sql`select to_json(clock_timestamp()) #>> '{}' as now`)
  return row!.now
}
