import type { AdminProjection } from '@tollgate/contracts/http/admin/projection.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { catalogVersion } from './project-catalog.ts'
import type { ProjectionSource } from './source.ts'

/** Compares Redis with PostgreSQL, and changes nothing. It works without Redis, too. @throws the error of PostgreSQL */
export async function readProgress(
  source: Pick<ProjectionSource, 'readTruth'>,
  redis: RedisLink
): Promise<AdminProjection> {
  const [{ markers }, catalog] = await Promise.all([readShards(redis), readCatalogVersion(redis).catch(() => null)])
  const truth = await source.readTruth()
  const shards = { total: allShards.length, current: 0, behind: 0, unverified: 0, unreachable: 0 }
  for (const shard of allShards) {
    const marker = markers.get(shard)
    if (marker === undefined) shards.unreachable++
    else if (marker.version === null || marker.run !== marker.currentRunId) shards.unverified++
    else if (marker.version < versionOf(truth.epoch, truth.changes.get(shard) ?? 0)) shards.behind++
    else shards.current++
  }
  const isCatalogCurrent = catalog?.version === catalogVersion(truth)
  return {
    epoch: truth.epoch,
    shards,
    catalog: { version: truth.catalog, is_current: isCatalogCurrent },
    is_current: isCatalogCurrent && shards.current === shards.total
  }
}
