import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { hourOf, readServed, type ServedRows } from '@tollgate/state/served/served.ts'
import type { FastifyBaseLogger } from 'fastify'
import { withTimeout } from '../background/with-timeout.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import type { Clock } from '../clocks/clock.ts'
import { modelsOnSale } from '../models/model-routes.ts'
import { type MeasuredStatus, measuredStatus, shownHours } from './measured-status.ts'

/** Gateways report once a minute. */
const keptMs = 60_000
/** Redis is asked again so long after it did not answer. */
const retryMs = 5000
/** How long Redis may take to answer. */
const redisTimeoutMs = 3000

/** Reads the measured speed and uptime of the models on sale. */
export interface StatusReader {
  /**
   * Reads the status of the last minute or newer, of the models of the catalog in force. Cheap: all callers share a
   * reading. Without Redis, every state is `unknown`. Rejects only before a catalog is in force.
   */
  read(): Promise<MeasuredStatus>
}

export interface StatusReaderOptions {
  redis: RedisLink
  /** The one in force: another one has other objects. */
  catalog: Catalog
  catalogPublisher: Pick<CatalogPublisher, 'leftOutModels'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

export function createStatusReader({
  redis,
  catalog,
  catalogPublisher,
  clock,
  log
}: StatusReaderOptions): StatusReader {
  let reading: Promise<MeasuredStatus> | null = null
  let readAt = 0
  let isComplete = true
  let ofReading: Catalog['models'] | null = null

  /** The rows of the hours that are shown, the oldest first; null if Redis does not answer. */
  async function readHours(): Promise<ServedRows[] | null> {
    if (!redis.isReady()) return null
    const hour = hourOf(clock().getTime())
    const hours = Array.from({ length: shownHours }, (_, number) => hour - shownHours + 1 + number)
    try {
      return await withTimeout(redisTimeoutMs, readServed(redis, hours))
    } catch (err) {
      log.warn({ err }, 'the speed and uptime of models could not be read from Redis')
      return null
    }
  }

  async function readModels() {
    const none: ReadonlySet<string> = new Set()
    const leftOut = await withTimeout(redisTimeoutMs, catalogPublisher.leftOutModels()).catch(() => none)
    return modelsOnSale(catalog, leftOut).map((id) => ({ id, provider: catalog.models[id]!.ownedBy }))
  }

  async function measure(): Promise<MeasuredStatus> {
    const [hours, models] = await Promise.all([readHours(), readModels()])
    isComplete = hours !== null
    return measuredStatus(hours ?? Array.from({ length: shownHours }, (): ServedRows => new Map()), models)
  }

  return {
    async read() {
      const age = clock().getTime() - readAt
      const isOld = age < 0 || age >= (isComplete ? keptMs : retryMs)
      if (reading === null || isOld || ofReading !== catalog.models) {
        readAt = clock().getTime()
        isComplete = true
        ofReading = catalog.models
        const own = measure()
        reading = own
        // A failed reading is not remembered.
        own.catch(() => {
          if (reading === own) reading = null
        })
      }
      return reading
    }
  }
}
