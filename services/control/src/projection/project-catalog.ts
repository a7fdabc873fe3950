import { versionOf } from '@tollgate/contracts/records/version.ts'
import { catalogName } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { announceChange } from '@tollgate/state/projection/changes.ts'
import { putCatalog, readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import type { ProjectionSource, Truth } from './source.ts'

/** The catalog version in Redis. Read it before PostgreSQL, like the markers of shards. */
export type CatalogMarker = Awaited<ReturnType<typeof readCatalogVersion>>

/** The version includes the epoch, so no two catalogs have the same version. */
export const catalogVersion = (truth: Truth): number => versionOf(truth.epoch, truth.catalog)

/** Whether Redis has a catalog that PostgreSQL does not know: then PostgreSQL was restored to an earlier state. */
export function isCatalogAhead(marker: CatalogMarker, truth: Truth): boolean {
  return marker !== null && marker.version > catalogVersion(truth)
}

/** Writes the current catalog to Redis, verified for the process with this run id, unless it is there. */
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
  const isNew = await putCatalog(redis, { version: versionOf(truth.epoch, number), run, json })
  if (isNew && marker?.version !== version) await announceChange(redis, { kind: 'catalog' })
}

/**
 * Writes the current catalog to Redis without a pass.
 *
 * @returns whether Redis has it; false if Redis is ahead of PostgreSQL: then a pass must raise the epoch first
 * @throws RedisAwayError, or the error of Redis or PostgreSQL
 */
export async function projectCatalogNow(source: ProjectionSource, redis: RedisLink): Promise<boolean> {
  const run = redis.nodeOf(catalogName).run()
  // The marker is read before PostgreSQL, as in a pass.
  const marker = await readCatalogVersion(redis)
  const truth = await source.readTruth()
  if (isCatalogAhead(marker, truth)) return false
  await projectCatalog(source, redis, marker, truth, run)
  return true
}
