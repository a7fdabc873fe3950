import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/** PostgreSQL's time in whole ms since the epoch, as a column of a query. */
export const databaseNowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::float8`.mapWith(Number)

/** Reads PostgreSQL's time in whole ms since the epoch. @throws the query's error */
export async function readDatabaseTime(orm: Orm): Promise<number> {
  const [row] = await queryRows<{ now: number }>(orm, sql`select ${databaseNowMs} as now`)
  return row!.now
}
