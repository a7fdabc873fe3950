import type { RedisNode } from '@tollgate/contracts/redis/redis-link.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'

/** PostgreSQL's time, ms since the epoch. @throws what the query failed with */
export async function readDatabaseTime(orm: Orm): Promise<number> {
  const now = sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  const [row] = await queryRows<{ now: number }>(orm, now)
  return row!.now
}

/** The time of a Redis process, ms since the epoch. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function readRedisTime(node: RedisNode): Promise<number> {
  node.run()
  const [seconds, micros] = (await node.client.time()).map(Number) as [number, number]
  return seconds * 1000 + micros / 1000
}
