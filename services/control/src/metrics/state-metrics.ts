import { webhookOutcomes } from '@tollgate/contracts/records/process-report.ts'
import type { LoopProgress } from '@tollgate/service/background/background-loop.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Registry } from 'prom-client'
import type { Database } from '../database/connect.ts'
import type { WebhookCounts } from '../http/webhook-counts.ts'
import { ProjectionLag, shardStates } from '../projection/projection-lag.ts'
import { type ProviderHealth, providerOfSetting, providerSettings } from '../provider-health/provider-health.ts'
import type { FreeSpendLimit } from '../usage/free-spend-limit.ts'
import { addCounter, addGauge, type Sample } from './pulled.ts'
import {
  createLimitedReader,
  type DatabaseState,
  type RedisState,
  readDatabaseState,
  readRedisState
} from './read-state.ts'

/** The parts of a running control whose state metrics show. */
export interface ObservedParts {
  readonly database: Pick<Database, 'orm'>
  readonly redis: RedisLink
  readonly health: Pick<ProviderHealth, 'problems'>
  readonly webhookCounts: Pick<WebhookCounts, 'all'>
  readonly freeSpend: Pick<FreeSpendLimit, 'spentNanos' | 'limitNanos'>
  /** By name. */
  readonly loops: ReadonlyMap<string, { readonly progress: LoopProgress }>
  /** Milliseconds since a round began that copied all usage to the ledger. */
  usageCopiedMsAgo(): number
  /** Seconds that receipts have waited for the collector; null if they are not exported. */
  readonly exportLagSeconds: (() => Promise<number>) | null
  /** Milliseconds since a round began that copied all receipts to the request log; null if it is off. */
  receiptsCopiedMsAgo(): number
}

/** The state at a scrape. Null parts are unknown. */
interface Observed {
  readonly parts: ObservedParts
  readonly readDatabase: () => Promise<DatabaseState | null>
  readonly readRedis: () => Promise<RedisState | null>
  readonly readExportLag: (() => Promise<number | null>) | null
  readonly lag: ProjectionLag
}

/**
 * Adds the metrics that show the present state of control. Servers are asked at a scrape, at most every three seconds
 * and for at most two.
 *
 * @returns call it with the parts, once they exist. Before, unknown values have no sample
 */
export function addStateMetrics(registry: Registry): (parts: ObservedParts) => void {
  let observed: Observed | null = null
  const get = () => observed
  addServers(registry, get)
  addProjection(registry, get)
  addRequestLog(registry, get)
  addFreeSpend(registry, get)
  addQueues(registry, get)
  addWebhooks(registry, get)
  addProviders(registry, get)
  addExport(registry, get)
  addLoops(registry, get)
  return (parts) => {
    observed = {
      parts,
      readDatabase: createLimitedReader(() => readDatabaseState(parts.database.orm)),
      readRedis: createLimitedReader(() => readRedisState(parts.redis)),
      readExportLag: parts.exportLagSeconds === null ? null : createLimitedReader(parts.exportLagSeconds),
      lag: new ProjectionLag()
    }
  }
}

type Get = () => Observed | null

const databaseOf = async (get: Get): Promise<DatabaseState | null> => (await get()?.readDatabase()) ?? null
const redisOf = async (get: Get): Promise<RedisState | null> => (await get()?.readRedis()) ?? null

function addServers(registry: Registry, get: Get): void {
  addGauge(registry, { name: 'tollgate_database_up', help: '1 if PostgreSQL answered in time, else 0' }, async () =>
    (await databaseOf(get)) === null ? 0 : 1
  )
  addGauge(
    registry,
    { name: 'tollgate_redis_up', help: '1 if every Redis process answered in time, else 0' },
    async () => ((await redisOf(get))?.isWhole === true ? 1 : 0)
  )
  addGauge(
    registry,
    { name: 'tollgate_migrations_applied', help: 'Migrations that the database has' },
    async () => (await databaseOf(get))?.migrations.applied ?? null
  )
  addGauge(
    registry,
    { name: 'tollgate_migrations_pending', help: 'Migrations of this release that the database lacks' },
    async () => (await databaseOf(get))?.migrations.pending ?? null
  )
}

function addProjection(registry: Registry, get: Get): void {
  async function lag() {
    const [database, redis] = await Promise.all([databaseOf(get), redisOf(get)])
    return database === null ? null : get()!.lag.compare(redis, database.truth, performance.now())
  }
  addGauge(
    registry,
    {
      name: 'tollgate_projection_lag_seconds',
      help: 'Age of the oldest change in PostgreSQL that Redis lacks, counted from the scrape that first saw it; 0 if none is missing'
    },
    async () => {
      const ms = (await lag())?.ms
      return ms === undefined ? null : ms / 1000
    }
  )
  addGauge(
    registry,
    {
      name: 'tollgate_projection_waiting',
      help: 'How many shards have changes that Redis lacks. The catalog counts as one'
    },
    async () => (await lag())?.waiting ?? null
  )
  addGauge(registry, { name: 'tollgate_shards', help: 'Shards of accounts and secrets' }, () => allShards.length)
  addGauge(
    registry,
    {
      name: 'tollgate_shards_unverified',
      help: 'Shards whose requests gateways refuse, because control has not verified them, or cannot read them'
    },
    async () => {
      const [database, redis] = await Promise.all([databaseOf(get), redisOf(get)])
      if (database === null) return null
      const states = [...shardStates(redis?.markers ?? new Map(), database.truth).values()]
      return states.filter((state) => state === 'unverified' || state === 'unreachable').length
    }
  )
  addGauge(
    registry,
    {
      name: 'tollgate_ledger_lag_seconds',
      help: 'Seconds since this replica began its last complete copy of usage from Redis: all earlier usage is in PostgreSQL'
    },
    () => {
      const ms = get()?.parts.usageCopiedMsAgo()
      return ms === undefined ? null : ms / 1000
    }
  )
}

function addRequestLog(registry: Registry, get: Get): void {
  addGauge(
    registry,
    {
      name: 'tollgate_request_log_lag_seconds',
      help: 'Seconds since this replica began its last complete copy of receipts from Redis: the request log has all earlier ones'
    },
    () => {
      const ms = get()?.parts.receiptsCopiedMsAgo() ?? null
      return ms === null ? null : ms / 1000
    }
  )
  addCounter(
    registry,
    {
      name: 'tollgate_receipts_dropped_total',
      help: 'Receipts of requests that Redis dropped before control copied them, because they used all of their memory'
    },
    async () => {
      const dropped = (await redisOf(get))?.droppedReceipts
      return dropped === undefined ? [] : [[{}, dropped]]
    }
  )
}

function addFreeSpend(registry: Registry, get: Get): void {
  const dollars = (nanos: bigint | null | undefined) => (nanos == null ? null : Number(nanos) / 1e9)
  addGauge(
    registry,
    {
      name: 'tollgate_free_spend_dollars',
      help: 'What all free accounts have spent today (UTC), with what is reserved for their running requests. Without FREE_SPEND_USD_PER_DAY it has no sample'
    },
    () => dollars(get()?.parts.freeSpend.spentNanos())
  )
  addGauge(
    registry,
    {
      name: 'tollgate_free_spend_limit_dollars',
      help: 'What all free accounts may spend in a day: FREE_SPEND_USD_PER_DAY. Without a limit it has no sample'
    },
    () => dollars(get()?.parts.freeSpend.limitNanos)
  )
}

function addQueues(registry: Registry, get: Get): void {
  addGauge(
    registry,
    {
      name: 'tollgate_queue_depth',
      help: 'Waiting work: users and customers to read again at their provider, plans to write to the identity provider, users to delete, messages that are due to webhook endpoints, mails to send',
      labelNames: ['queue']
    },
    async () => {
      const database = await databaseOf(get)
      return Object.entries(database?.queues ?? {}).map(([queue, depth]): Sample => [{ queue }, depth])
    }
  )
}

function addWebhooks(registry: Registry, get: Get): void {
  addGauge(
    registry,
    {
      name: 'tollgate_webhook_queue_age_seconds',
      help: 'How long the oldest message to a webhook endpoint has been due without a try; 0 if none is due. Endpoints whose last try failed are left out'
    },
    async () => (await databaseOf(get))?.webhookQueueAge ?? null
  )
}

/** The label `source` of each source of webhooks. */
const webhookSources = { payments: 'stripe', identity: 'identity' } as const

function addProviders(registry: Registry, get: Get): void {
  addCounter(
    registry,
    {
      name: 'tollgate_webhooks_total',
      help: 'Answered webhooks of the payment provider and of the identity provider',
      labelNames: ['source', 'outcome']
    },
    () => {
      const counts = get()?.parts.webhookCounts.all() ?? []
      return Object.entries(webhookSources).flatMap(([name, source]) =>
        webhookOutcomes.map((outcome): Sample => {
          const row = counts.find((one) => one.source === name && one.outcome === outcome)
          return [{ source, outcome }, row?.count ?? 0]
        })
      )
    }
  )
  addGauge(
    registry,
    {
      name: 'tollgate_provider_problem',
      help: '1 while a provider refuses the setting, else 0',
      labelNames: ['provider', 'setting']
    },
    () => {
      const refused = new Set(
        get()
          ?.parts.health.problems()
          .map(({ what }) => what)
      )
      return providerSettings.map(
        (setting): Sample => [{ provider: providerOfSetting(setting), setting }, refused.has(setting) ? 1 : 0]
      )
    }
  )
}

function addExport(registry: Registry, get: Get): void {
  addGauge(
    registry,
    {
      name: 'tollgate_request_export_lag_seconds',
      help: 'How long the oldest receipt of a request has waited for the OTLP collector; 0 if none waits. Without an export it has no sample'
    },
    async () => (await get()?.readExportLag?.()) ?? null
  )
}

function addLoops(registry: Registry, get: Get): void {
  const loops = () => [...(get()?.parts.loops ?? [])]
  addCounter(
    registry,
    { name: 'tollgate_loop_failures_total', help: 'Failed rounds of work in the background', labelNames: ['loop'] },
    () => loops().map(([loop, { progress }]): Sample => [{ loop }, progress.failures])
  )
  addGauge(
    registry,
    {
      name: 'tollgate_loop_last_success_timestamp_seconds',
      help: 'When a round of work in the background last succeeded, in seconds since 1970; no sample before the first success',
      labelNames: ['loop']
    },
    () =>
      loops().flatMap(([loop, { progress }]) =>
        progress.lastSuccessAt === null ? [] : [[{ loop }, progress.lastSuccessAt / 1000] satisfies Sample]
      )
  )
}
