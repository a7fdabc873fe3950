import { hash } from 'node:crypto'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { catalogName } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { announceChange } from '@tollgate/state/projection/announce-change.ts'
import { putCatalog, type readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { desc, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { catalogs } from '../database/schema.ts'
import type { ProjectionSource, Truth } from './source.ts'

/** Any number that nothing else in this database locks; written down once. */
const lock = 7_012_846_613

/** Puts a catalog in force unless the one in force is the same. Replicas that start together store it once. */
export async function storeCatalog(orm: Orm, catalog: Catalog): Promise<void> {
  const json = JSON.stringify(catalog)
  const sha256 = hash('sha256', json, 'hex')
  await orm.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lock))})`)
    const [newest] = await tx
      .select({ sha256: catalogs.sha256 })
      .from(catalogs)
      .orderBy(desc(catalogs.version))
      .limit(1)
    if (newest?.sha256 !== sha256) await tx.insert(catalogs).values({ sha256, json, createdAt: new Date() })
  })
}

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
