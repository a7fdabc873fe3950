import type { AdminProjection } from '@tollgate/contracts/http/admin/projection.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { catalogVersion } from './project-catalog.ts'
import { shardStates } from './shard-states.ts'
import type { ProjectionSource } from './source.ts'

/** Compares Redis with PostgreSQL, and changes nothing. It works without Redis, too. @throws the error of PostgreSQL */
export async function readProgress(
  source: Pick<ProjectionSource, 'readTruth'>,
  redis: RedisLink
): Promise<AdminProjection> {
  const [{ markers }, catalog] = await Promise.all([readShards(redis), readCatalogVersion(redis).catch(() => null)])
  const truth = await source.readTruth()
  const shards = { total: allShards.length, current: 0, behind: 0, unverified: 0, unreachable: 0 }
  for (const state of shardStates(markers, truth).values()) shards[state]++
  const isCatalogCurrent = catalog?.version === catalogVersion(truth)
  return {
    epoch: truth.epoch,
    shards,
    catalog: { version: truth.catalog, is_current: isCatalogCurrent },
    is_current: isCatalogCurrent && shards.current === shards.total
  }
}
