import type { Shard } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'

/** @throws RedisAwayError if another process than this holds one of the shards, or none that is known */
export function insistOnRun(redis: RedisLink, shards: readonly Shard[], run: string): void {
  for (const shard of shards) if (redis.nodeOf(shard).run() !== run) throw new RedisAwayError()
}
