import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readProcesses } from '@tollgate/state/processes/heartbeat.ts'
import { hourOf, readServed, type ServedRows } from '@tollgate/state/served/served.ts'
import type { FastifyBaseLogger } from 'fastify'
import { keepLastAnswer } from '../background/keep-last-answer.ts'
import { withTimeout } from '../background/with-timeout.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { modelsOnSale } from '../models/model-routes.ts'
import { type MeasuredStatus, measuredStatus, shownHours } from './measured-status.ts'
import { dayOf, foldDays, type ServedHistory } from './served-days.ts'
import { readServedHistory } from './served-hours.ts'

/** Gateways report once a minute. */
const keptMs = 60_000
/** Redis is asked again so long after it did not answer, or had no gateway. */
const retryMs = 5000
/** Days are read again so long after: it may take PostgreSQL half a second. Meanwhile, Redis has the latest hours. */
const historyMs = 900_000
/** How long Redis may take to answer. */
const redisTimeoutMs = 3000
/** Gateways report every 5 seconds. After a restart of Redis, it takes some until they do again. */
const maxSilenceMs = 60_000

/** Reads the measured speed and uptime of the models on sale. */
export interface StatusReader {
  /**
   * Reads the status of the last minute or newer, of the models of the catalog in force. Cheap: all callers share a
   * reading. Without Redis, every present state is `unknown`. Without PostgreSQL, the days are those that were read last.
   * Rejects only before a catalog is in force.
   */
  read(): Promise<MeasuredStatus>
}

export interface StatusReaderOptions {
  orm: Orm
  redis: RedisLink
  /** The one in force: another one has other objects. */
  catalog: Catalog
  catalogPublisher: Pick<CatalogPublisher, 'leftOutModels'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

interface ReadHistory {
  readonly served: ServedHistory
  /** When it was asked for, ms since the epoch. */
  readonly at: number
}

export function createStatusReader({
  orm,
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
  let history: ReadHistory | null = null
  /** Since when no gateway has been seen; null while there is one. */
  let silentSince: number | null = null

  /** The rows of hours, and whether a gateway runs; null if Redis does not answer. */
  async function readRedis(hours: readonly number[]): Promise<{ rows: ServedRows[]; isLive: boolean } | null> {
    if (!redis.isReady()) return null
    try {
      const reading = Promise.all([readServed(redis, hours), readProcesses(redis)])
      const [rows, processes] = await withTimeout(redisTimeoutMs, reading)
      return { rows, isLive: processes.some(({ kind }) => kind === 'gateway') }
    } catch (err) {
      log.warn({ err }, 'the speed and uptime of models could not be read from Redis')
      return null
    }
  }

  const askHistory = keepLastAnswer<ReadHistory | null, [number]>(
    null,
    async (now) => ({ served: await readServedHistory(orm, now), at: now }),
    (err) => log.warn({ err }, 'the history of the status could not be read; the status has the one that was read last')
  )

  /** What PostgreSQL keeps; null if it was never read. */
  async function readHistory(now: number): Promise<ServedHistory | null> {
    const age = history === null ? 0 : now - history.at
    const isFresh = history !== null && history.served.days.size > 0 && age >= 0 && age < historyMs
    if (!isFresh) history = await askHistory(now)
    return history?.served ?? null
  }

  /** @returns null while nobody knows */
  function judgeGateway(isLive: boolean | null, now: number): boolean | null {
    if (isLive !== false) {
      silentSince = null
      return isLive
    }
    silentSince ??= now
    return now - silentSince >= maxSilenceMs ? false : null
  }

  async function readModels() {
    const none: ReadonlySet<string> = new Set()
    const leftOut = await withTimeout(redisTimeoutMs, catalogPublisher.leftOutModels()).catch(() => none)
    return modelsOnSale(catalog, leftOut).map((id) => ({ id, provider: catalog.models[id]!.ownedBy }))
  }

  async function measure(): Promise<MeasuredStatus> {
    const now = clock().getTime()
    const first = hourOf(now) - shownHours + 1
    const numbers = Array.from({ length: shownHours }, (_, index) => first + index)
    const [found, past, offered] = await Promise.all([readRedis(numbers), readHistory(now), readModels()])
    isComplete = found?.isLive === true
    const hours = found?.rows ?? numbers.map((): ServedRows => new Map())
    const measured = new Map(numbers.map((number, index) => [number, hours[index]!]))
    const today = dayOf(now)
    const onSale = new Set(modelsOnSale(catalog, new Set()))
    return measuredStatus({
      hours,
      days: foldDays(past ?? { recentFrom: 0, days: new Map(), hours: new Map() }, measured, today),
      today,
      offered,
      isCounted: (model) => onSale.has(model) || !Object.hasOwn(catalog.models, model),
      hasGateway: judgeGateway(found?.isLive ?? null, now)
    })
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
