import { versionOf } from '@tollgate/contracts/records/version.ts'
import { catalogName } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { announceChange, putCatalog, type readCatalogVersion } from '@tollgate/state/projection/project.ts'
import type { ProjectionSource, Truth } from './source.ts'

/** What Redis says of its catalog; to be read before Postgres, as the shards' markers are. */
export type CatalogMarker = Awaited<ReturnType<typeof readCatalogVersion>>

/** Its version carries the epoch too, so that no two catalogs ever have the same. */
export const catalogVersion = (truth: Truth): number => versionOf(truth.epoch, truth.catalog)

/** Whether Redis has a catalog that Postgres does not know, which must then have been restored to an earlier state. */
export function isCatalogAhead(marker: CatalogMarker, truth: Truth): boolean {
  return marker !== null && marker.version > catalogVersion(truth)
}

/** Brings the catalog in force to Redis if it is not there, and vouches for it to the process. */
export async function projectCatalog(
  source: ProjectionSource,
  redis: RedisLink,
  marker: CatalogMarker,
  truth: Truth,
  run: string
): Promise<void> {
  const version = catalogVersion(truth)
  if (truth.catalog === 0 || (marker?.version === version && marker.run === run)) return
  const { number, json } = await source.readCatalog()
  if (redis.nodeOf(catalogName).run() !== run) throw new RedisAwayError()
  await putCatalog(redis, { version: versionOf(truth.epoch, number), run, json })
  if (marker?.version !== version) await announceChange(redis, { kind: 'catalog' })
}
