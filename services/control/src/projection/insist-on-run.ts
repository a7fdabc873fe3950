import type { Shard } from '@tollgate/contracts/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/contracts/redis/redis-link.ts'

/** @throws RedisAwayError if another process than this holds the shard, or none that is known */
export function insistOnRun(redis: RedisLink, shard: Shard, run: string): void {
  if (redis.nodeOf(shard).run() !== run) throw new RedisAwayError()
}
