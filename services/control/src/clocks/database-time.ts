import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/** PostgreSQL's time, whole ms since the epoch, within a query. */
export const databaseNowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::float8`.mapWith(Number)

/** PostgreSQL's time, whole ms since the epoch. @throws what the query failed with */
export async function readDatabaseTime(orm: Orm): Promise<number> {
  const [row] = await queryRows<{ now: number }>(orm, sql`select ${databaseNowMs} as now`)
  return row!.now
}
