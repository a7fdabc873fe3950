import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { type CatalogPublisher, createCatalogPublisher, type LiveUpstreams } from './catalog-publisher.ts'
import { type CatalogFollower, followCatalogFile } from './follow-catalog-file.ts'
import { createLiveCatalog, type LiveCatalog } from './live-catalog.ts'
import type { PublicationMode } from './publish-catalog.ts'

export interface CatalogPartsOptions {
  database: Database
  redis: RedisLink
  projector: { catalogChanged(): Promise<boolean> }
  clock: Clock
  log: FastifyBaseLogger
  config: { readonly catalogFile: string; readonly catalogOnStart: PublicationMode }
  liveUpstreams: LiveUpstreams
  /** See `ComposeOptions`. */
  catalogFile: { intervalMs: number; settleMs: number } | undefined
}

/** The parts of control that read and publish catalogs. */
export interface CatalogParts {
  catalog: LiveCatalog
  catalogPublisher: CatalogPublisher
  catalogFile: CatalogFollower
}

export function createCatalogParts(options: CatalogPartsOptions): CatalogParts {
  const { database, redis, projector, clock, log, config, liveUpstreams } = options
  const catalog = createLiveCatalog(database.orm, log)
  const catalogPublisher = createCatalogPublisher({ database, redis, catalog, projector, liveUpstreams, clock })
  const catalogFile = followCatalogFile({
    orm: database.orm,
    file: config.catalogFile,
    mode: config.catalogOnStart,
    publisher: catalogPublisher,
    catalog,
    log,
    ...options.catalogFile
  })
  return { catalog, catalogPublisher, catalogFile }
}
