import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import type { Orm } from '../database/connect.ts'
import { compareShards } from '../projection/compare-shards.ts'
import { createPostgresSource } from '../projection/postgres-source.ts'

/**
 * How Redis compares with a restored database. `later`: Redis has changes that the database lacks. `empty`: control has verified
 * nothing in this Redis. `not later`: it has no changes beyond the database.
 */
export type RedisState = 'later' | 'not later' | 'empty'

/** Compares Redis with a restored database, and changes nothing. @throws the error of Redis or PostgreSQL */
export async function compareRestored(orm: Orm, redis: RedisLink): Promise<RedisState> {
  const { markers, failures } = await readShards(redis)
  if (failures.length > 0) throw failures[0]
  const comparison = compareShards(markers, await createPostgresSource(orm).readTruth())
  if (comparison.ahead && comparison.shards.length > 0) return 'later'
  return allShards.some((shard) => markers.get(shard)?.version != null) ? 'not later' : 'empty'
}
