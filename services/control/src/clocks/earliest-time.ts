import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readAnyRedisTime } from '@tollgate/state/link/redis-time.ts'
import type { Clock } from '../clock.ts'
import type { Orm } from '../database/connect.ts'
import { readDatabaseTime } from './database-time.ts'

/**
 * The earliest time that a clock shows: this process's, PostgreSQL's and that of Redis, if it can be asked. What is too old by it
 * is too old by all, so no clock that is ahead lets anything be removed early.
 *
 * @param redis null to ask only the others
 * @throws what the query to PostgreSQL failed with
 */
export async function earliestTime(orm: Orm, redis: RedisLink | null, clock: Clock): Promise<Date> {
  const ofRedis = redis === null ? null : await readAnyRedisTime(redis)
  const known = Math.min(clock().getTime(), await readDatabaseTime(orm))
  return new Date(Math.floor(Math.min(known, ofRedis ?? known)))
}
