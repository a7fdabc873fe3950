import { type Catalog, readCatalogJson } from '@tollgate/contracts/catalog/catalog.ts'
import { createBackgroundLoop, type LoopLog, type LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { desc, eq, type SQL, sql } from 'drizzle-orm'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import type { Orm } from '../database/connect.ts'
import { catalogs } from '../database/schema/projection.ts'

/**
 * The catalog in force: the newest one in PostgreSQL. It changes while control runs. Read values that belong
 * together without an `await` in between, and keep no derived values.
 */
export interface LiveCatalog extends Catalog, WatchedLoop {
  readonly progress: LoopProgress
  /** Its version; null before the first one is loaded. Then `models` and `plans` throw. */
  readonly version: number | null
  /**
   * Reads the catalog in force now.
   *
   * @throws Error of the database, or if this release cannot read the catalog; the last one stays in use then
   */
  refresh(): Promise<void>
  /** Starts to follow the catalogs that other replicas publish. */
  start(): void
  stop(): Promise<void>
}

interface InForce {
  readonly version: number
  readonly sha256: string
  readonly catalog: Catalog
}

export function createLiveCatalog(orm: Orm, log: LoopLog): LiveCatalog {
  let inForce: InForce | null = null
  let refreshing: Promise<void> = Promise.resolve()
  const loop = createBackgroundLoop({
    round: refresh,
    intervalMs: watchedIntervalMs,
    isFirstDelayed: true,
    log,
    messages: {
      failing: 'the catalog in force cannot be read; the last one stays in use',
      recovered: 'the catalog in force is read again'
    }
  })

  function refresh(): Promise<void> {
    // One after the other: an earlier read must not replace the result of a later one.
    const next = refreshing.then(read, read)
    refreshing = next.catch(() => undefined)
    return next
  }

  async function read(): Promise<void> {
    const [newest] = await orm
      .select({ version: catalogs.version, sha256: catalogs.sha256 })
      .from(catalogs)
      .orderBy(desc(catalogs.version))
      .limit(1)
    if (newest === undefined) return
    // A restored PostgreSQL may give a version again to other content.
    if (newest.version === inForce?.version && newest.sha256 === inForce.sha256) return
    const [row] = await orm.select({ json: catalogs.json }).from(catalogs).where(eq(catalogs.version, newest.version))
    if (row?.json == null) throw new Error(`catalog ${newest.version} has no content`)
    inForce = { ...newest, catalog: readPublished(newest.version, row.json) }
  }

  /** The condition that the newest catalog is not the one in force. */
  const isReplaced = (): SQL => {
    const isOther = sql`(version, sha256) is distinct from (${inForce?.version ?? 0}, ${inForce?.sha256 ?? ''})`
    return sql`exists (select from ${catalogs} where version = (select max(version) from ${catalogs}) and ${isOther})`
  }

  function current(): Catalog {
    if (inForce === null) throw new Error('no catalog is in force yet')
    return inForce.catalog
  }

  return {
    get models() {
      return current().models
    },
    get plans() {
      return current().plans
    },
    get providers() {
      return current().providers ?? {}
    },
    get priceGroups() {
      return current().priceGroups ?? {}
    },
    get version() {
      return inForce?.version ?? null
    },
    refresh,
    wake: loop.wake,
    isDue: isReplaced,
    progress: loop.progress,
    start: loop.start,
    stop: loop.stop
  }
}

/** Reads the content of a published catalog. @throws Error if this release would not write it */
export function readPublished(version: number, json: string): Catalog {
  try {
    return readCatalogJson(json)
  } catch (cause) {
    throw new Error(
      `Another release published catalog ${version}, and this one cannot read it. ` +
        'Apply a catalog file with this release: start control with CATALOG_ON_START=apply.',
      { cause }
    )
  }
}
