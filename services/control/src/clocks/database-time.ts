import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/** PostgreSQL's time, ms since the epoch. @throws what the query failed with */
export async function readDatabaseTime(orm: Orm): Promise<number> {
  const now = sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  const [row] = await queryRows<{ now: number }>(orm, now)
  return row!.now
}
