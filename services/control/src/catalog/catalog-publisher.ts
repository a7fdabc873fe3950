import { setTimeout as delay } from 'node:timers/promises'
import type { Catalog, Model } from '@tollgate/contracts/catalog/catalog.ts'
import { hasOwnBills } from '@tollgate/contracts/catalog/list-prices.ts'
import { findSoldBelowCost } from '@tollgate/contracts/catalog/sold-below-cost.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { LiveUpstreams as UpstreamNames } from '@tollgate/state/processes/heartbeat.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { LiveCatalog } from './live-catalog.ts'
import { type CatalogContent, type Publication, type PublicationOptions, publishCatalog } from './publish-catalog.ts'

/** How long a check waits for a Redis that is still connecting, ms. */
const redisWaitMs = 2000

/**
 * The upstreams that the running gateways have.
 *
 * @returns null if no running gateway is known, or while Redis is unavailable. Never throws.
 */
export type LiveUpstreams = () => Promise<UpstreamNames | null>

export interface PublisherOptions {
  database: Database
  redis: Pick<RedisLink, 'isReady' | 'ready'>
  catalog: LiveCatalog
  projector: { catalogChanged(): Promise<boolean> }
  liveUpstreams: LiveUpstreams
  clock: Clock
}

/** Why a catalog cannot be published, and what to know before. */
export interface Judgement {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Publishes catalogs: from a file, or for an operator. */
export interface CatalogPublisher {
  /** Compares the routes of a catalog with the upstreams of the running gateways. */
  judge(catalog: Catalog): Promise<Judgement>
  /** Upstreams that the catalog in force needs, but that no running gateway has, not even as optional ones. */
  missingUpstreams(): Promise<string[]>
  /** Models of the catalog in force that no running gateway offers, because it leaves out all their upstreams. */
  leftOutModels(): Promise<ReadonlySet<string>>
  /** Publishes a catalog. It is in force in this replica when this resolves. @see publishCatalog */
  publish(content: CatalogContent, options: Omit<PublicationOptions, 'at'>): Promise<Publication>
  /** Writes the catalog in force to Redis now. @returns whether Redis has it; if not, the projector writes it later */
  project(): Promise<boolean>
}

export function createCatalogPublisher(options: PublisherOptions): CatalogPublisher {
  const { database, redis, catalog, projector, liveUpstreams, clock } = options

  let isFirst = true

  async function readUpstreams(): Promise<UpstreamNames | null> {
    // At a start, the connection may be a moment away.
    if (isFirst && !redis.isReady()) {
      const over = new AbortController()
      const waited = delay(redisWaitMs, undefined, { signal: over.signal }).catch(() => undefined)
      await Promise.race([redis.ready(), waited]).finally(() => over.abort())
    }
    isFirst = false
    return liveUpstreams()
  }

  return {
    async judge(candidate) {
      const upstreams = await readUpstreams()
      const losses = findSoldBelowCost(candidate, clock().getTime())
      if (upstreams === null) {
        const unknown = 'No running gateway is known, so the routes were not compared with the upstreams of gateways.'
        return { problems: [], warnings: [unknown, ...losses] }
      }
      const missing = [...findMissingUpstreams(candidate, namesOf(upstreams))].map(([upstream, models]) =>
        describeMissing(upstream, models)
      )
      // Gateways without any catalog serve nobody. So the first one is published even if a gateway has still to start.
      if (catalog.version === null) return { problems: [], warnings: [...missing, ...losses] }
      const { withoutListPrices: old } = upstreams
      const tooOld = old > 0 && hasListPrices(candidate) ? [describeOld(old)] : []
      return { problems: [...missing, ...tooOld], warnings: losses }
    },
    async missingUpstreams() {
      const upstreams = await liveUpstreams()
      return upstreams === null ? [] : [...findMissingUpstreams(catalog, namesOf(upstreams)).keys()]
    },
    async leftOutModels() {
      const upstreams = await liveUpstreams()
      const models = upstreams === null || upstreams.leftOut.size === 0 ? [] : Object.entries(catalog.models)
      const isLeftOut = ({ route }: Model) => route.every(({ upstream }) => upstreams!.leftOut.has(upstream))
      return new Set(models.filter(([, model]) => isLeftOut(model)).map(([name]) => name))
    },
    async publish(content, how) {
      const publication = await publishCatalog(database.orm, content, { ...how, at: clock() })
      await catalog.refresh()
      return publication
    },
    project: () => projector.catalogChanged()
  }
}

const describeOld = (count: number): string =>
  `${count} running ${count === 1 ? 'gateway is' : 'gateways are'} of a release that charges what providers bill, ` +
  'whatever retail, default_markup and price_groups say. Update all gateways first.'

/** Whether anybody pays another amount than providers bill. */
const hasListPrices = ({ models, priceGroups = {} }: Catalog): boolean =>
  Object.keys(priceGroups).length > 0 ||
  Object.values(models).some((model) => model.retail !== undefined || hasOwnBills(model))

const namesOf = ({ served, leftOut }: UpstreamNames): ReadonlySet<string> => new Set([...served, ...leftOut])

const describeMissing = (upstream: string, models: readonly string[]): string =>
  `no running gateway has the upstream ${upstream}, which the routes of ${models.join(', ')} name. ` +
  'Add it to the upstreams file of a gateway first, or correct the routes.'

/** Upstreams that models are routed to, but that are not in a set; with the models, sorted. */
function findMissingUpstreams({ models }: Catalog, upstreams: ReadonlySet<string>): Map<string, string[]> {
  const missing = new Map<string, string[]>()
  for (const [name, { route }] of Object.entries(models)) {
    for (const upstream of new Set(route.map((target) => target.upstream))) {
      if (!upstreams.has(upstream)) missing.set(upstream, [...(missing.get(upstream) ?? []), name])
    }
  }
  return new Map([...missing].sort(([one], [other]) => (one < other ? -1 : 1)))
}
