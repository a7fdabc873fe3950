import type { Shard } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'

/** @throws RedisAwayError if a shard is at a Redis process with another run id, or at none */
export function assertRunId(redis: RedisLink, shards: readonly Shard[], run: string): void {
  for (const shard of shards) if (redis.nodeOf(shard).run() !== run) throw new RedisAwayError()
}
