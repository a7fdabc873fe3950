import { type RedisLink, readAnyRedisTime } from '@tollgate/state/link/redis-link.ts'
import type { Orm } from '../database/connect.ts'
import type { Clock } from './clock.ts'
import { readDatabaseTime } from './database-time.ts'

/**
 * Reads the earliest time of three clocks: this process's, PostgreSQL's and that of Redis, if it answers. Whatever is too
 * old by it is too old by every clock. So a clock that is ahead never makes anything be deleted early.
 *
 * @param redis null to leave it out
 * @throws the error of the query to PostgreSQL
 */
export async function earliestTime(orm: Orm, redis: RedisLink | null, clock: Clock): Promise<Date> {
  const ofRedis = redis === null ? null : await readAnyRedisTime(redis)
  const known = Math.min(clock().getTime(), await readDatabaseTime(orm))
  return new Date(Math.floor(Math.min(known, ofRedis ?? known)))
}
