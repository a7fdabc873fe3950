import type { KeyScope } from '@tollgate/contracts/keys/secret.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { type RedisLink, readRedisTime } from '@tollgate/state/link/redis-link.ts'
import type { Orm } from '../database/connect.ts'
import { readDatabaseTime } from './database-time.ts'

/**
 * Reads the present time from the clock that later decides whether a secret still works. For inference keys that is the
 * Redis process that admits their requests, for management keys PostgreSQL. While Redis is unavailable: PostgreSQL.
 *
 * @throws the error of the query to PostgreSQL
 */
export async function judgingTime(
  orm: Orm,
  redis: Pick<RedisLink, 'nodeOf'>,
  accountId: string,
  scope: KeyScope
): Promise<Date> {
  if (scope === 'inference') {
    try {
      return new Date(Math.floor(await readRedisTime(redis.nodeOf(accountShard(accountId)))))
    } catch {
      // The connection logs that Redis is unavailable.
    }
  }
  return new Date(Math.floor(await readDatabaseTime(orm)))
}
