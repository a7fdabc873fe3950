import type { KeyScope } from '@tollgate/contracts/keys/secret.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readRedisTime } from '@tollgate/state/link/redis-time.ts'
import type { Orm } from '../database/connect.ts'
import { readDatabaseTime } from './database-time.ts'

/**
 * Now, by the clock that later decides whether a secret of an account still works: for inference keys that of the Redis
 * process that admits their requests, for management keys PostgreSQL's. While Redis is away, PostgreSQL's.
 *
 * @throws what the query to PostgreSQL failed with
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
      // Its connection tells that it is away.
    }
  }
  return new Date(Math.floor(await readDatabaseTime(orm)))
}
