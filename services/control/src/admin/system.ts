import { hash } from 'node:crypto'
import { type AdminSystem, AdminSystemResponse } from '@tollgate/contracts/http/admin/system.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import { version } from '@tollgate/service/workspace.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type LiveProcess, type ProcessFacts, readProcesses } from '@tollgate/state/processes/heartbeat.ts'
import { type FoundShards, readShards } from '@tollgate/state/projection/shard-markers.ts'
import { desc } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { withTimeout } from '../background/with-timeout.ts'
import { catalogs } from '../database/schema/projection.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { WebhookCounts } from '../http/webhook-counts.ts'
import { compareShards } from '../projection/compare-shards.ts'
import { createPostgresSource } from '../projection/postgres-source.ts'
import type { AdminContext } from './admin-context.ts'

/** What this process counts since its start, and reports with its heartbeat. */
export class ProcessState {
  readonly failures = new FailureCounts()
  readonly webhookCounts = new WebhookCounts()
  readonly #startedAt = performance.now()
  #usageCopiedAt: number | null = null
  #receiptsCopiedAt: number | null = null

  /** @param until `performance.now()`: all usage until then is in the ledger */
  usageCopied(until: number): void {
    this.#usageCopiedAt = until
  }

  /** Milliseconds since all usage until then was in the ledger; before that, since the start. */
  usageCopiedMsAgo(): number {
    return performance.now() - (this.#usageCopiedAt ?? this.#startedAt)
  }

  /** @param until `performance.now()`: the request log has all receipts until then */
  receiptsCopied(until: number): void {
    this.#receiptsCopiedAt = until
  }

  /** Milliseconds since the request log had all receipts until then; before that, since the start. */
  receiptsCopiedMsAgo(): number {
    return performance.now() - (this.#receiptsCopiedAt ?? this.#startedAt)
  }

  facts(): ProcessFacts {
    const copiedAt = this.#usageCopiedAt
    return {
      kind: 'control',
      version,
      errors: this.failures.all(),
      webhooks: this.webhookCounts.all(),
      usageCopiedMsAgo: copiedAt === null ? null : Math.round(performance.now() - copiedAt)
    }
  }
}

/** How long Redis may take to answer. */
const redisTimeoutMs = 3000

/** `GET /system`: the state of all processes, of Redis, the ledger and the catalog. It answers without Redis, too. */
export function system(app: TypedApp, context: AdminContext): void {
  app.get(
    '/system',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'getSystem',
        summary: 'Get the state of all processes, Redis, the ledger and the catalog',
        description:
          'Processes report every 5 seconds. Errors and webhooks are counted since the running processes started. ' +
          'While Redis is unavailable, `redis.ready` is false and the lists are empty.',
        response: answers({ 200: AdminSystemResponse })
      }
    },
    async (request) => ({ system: await readSystem(context, request.log) })
  )
}

async function readSystem(context: AdminContext, log: FastifyBaseLogger): Promise<AdminSystem> {
  const { redis, clock, heartbeat } = context
  /** @returns null if Redis does not answer in time */
  async function fromRedis<Answer>(read: () => Promise<Answer>): Promise<Answer | null> {
    if (!redis.isReady()) return null
    try {
      return await withTimeout(redisTimeoutMs, read())
    } catch (err) {
      log.warn({ err }, 'the state of Redis could not be read')
      return null
    }
  }
  const [processes, shards, catalog] = await Promise.all([
    // Its own report may be seconds old.
    fromRedis(() => heartbeat.beat().then(() => readProcesses(redis))),
    fromRedis(() => readShards(redis)),
    readCatalogInForce(context)
  ])
  const masters = shards === null ? null : await fromRedis(() => describeMasters(redis, shards.markers))
  const live = processes ?? []
  const at = clock()
  return {
    at: at.toISOString(),
    control: live.filter(({ kind }) => kind === 'control').map(processOf),
    gateways: live
      .filter(({ kind }) => kind === 'gateway')
      .map((one) => ({
        ...processOf(one),
        catalog_version: one.catalogVersion ?? null,
        upstreams: one.upstreams ?? []
      })),
    redis: { ready: masters !== null && masters.length > 0, masters: masters ?? [] },
    projection: { shards_behind: await countShardsBehind(context, shards) },
    ledger: ledgerOf(live, at),
    catalog,
    problems: joinProblems(live),
    webhooks: sumWebhooks(live),
    errors: sumErrors(live)
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

const processOf = ({ id, host, version, startedAt, seenAt }: LiveProcess) => ({
  id,
  host,
  version,
  started_at: iso(startedAt),
  seen_at: iso(seenAt)
})

/** @param shards read before PostgreSQL: see `compareShards`. A shard that cannot be read counts as behind */
async function countShardsBehind({ database }: AdminContext, shards: FoundShards | null): Promise<number | null> {
  if (shards === null || shards.markers.size === 0) return null
  const comparison = compareShards(shards.markers, await createPostgresSource(database.orm).readTruth())
  // If Redis is ahead, PostgreSQL was restored, and everything is written again.
  return comparison.ahead ? allShards.length : comparison.stale.length + allShards.length - shards.markers.size
}

/** The latest copy of any replica: each copies all usage. */
function ledgerOf(processes: readonly LiveProcess[], at: Date): AdminSystem['ledger'] {
  const copied = processes.flatMap(({ seenAt, usageCopiedMsAgo }) =>
    usageCopiedMsAgo == null ? [] : [seenAt - usageCopiedMsAgo]
  )
  if (copied.length === 0) return { copied_at: null, seconds_behind: null }
  const latest = Math.max(...copied)
  return { copied_at: iso(latest), seconds_behind: Math.max(0, Math.round((at.getTime() - latest) / 100) / 10) }
}

async function readCatalogInForce({ database, catalog, clock }: AdminContext): Promise<AdminSystem['catalog']> {
  const [row] = await database.orm
    .select({ version: catalogs.version, sha256: catalogs.sha256, at: catalogs.createdAt })
    .from(catalogs)
    .orderBy(desc(catalogs.version))
    .limit(1)
  if (row !== undefined) return { version: row.version, sha256: row.sha256, published_at: row.at.toISOString() }
  return { version: 0, sha256: hash('sha256', JSON.stringify(catalog)), published_at: clock().toISOString() }
}

type Master = AdminSystem['redis']['masters'][number]

/**
 * Describes the Redis processes that are ready. @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
async function describeMasters(redis: RedisLink, markers: FoundShards['markers']): Promise<Master[]> {
  const ofRun = Map.groupBy(markers.values(), ({ currentRunId }) => currentRunId)
  return Promise.all(
    redis
      .nodes()
      .filter((node) => node.isReady())
      .map(async (node) => {
        const run = node.run()
        const info = await node.client.info()
        const field = (name: string): string | null => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null
        const memory = field('used_memory')
        const shards = ofRun.get(run) ?? []
        return {
          // The rest names the history of its data.
          run_id: run.split(':')[0]!,
          version: field('redis_version'),
          used_memory_bytes: memory === null ? null : Number(memory),
          shards: shards.length,
          verified_shards: shards.filter(({ version, run: verified }) => version !== null && verified === run).length
        }
      })
  )
}

interface Counted {
  count: number
  lastAt: number
}

/** Adds up the failed answers of processes by service and code, the most recent first. */
function sumErrors(processes: readonly LiveProcess[]): AdminSystem['errors'] {
  const all = processes.flatMap(({ kind, errors }) =>
    Object.entries(errors).map(([code, count]) => ({ service: kind, code, ...count }))
  )
  return sum(all, ({ service, code }) => `${service} ${code}`)
}

/** Adds up the webhooks of processes by source and outcome, the most recent first. */
function sumWebhooks(processes: readonly LiveProcess[]): AdminSystem['webhooks'] {
  const all = processes.flatMap(({ webhooks = [] }) => webhooks)
  return sum(all, ({ source, outcome }) => `${source} ${outcome}`)
}

/** The problems that processes have with their providers, each once. */
function joinProblems(processes: readonly LiveProcess[]): AdminSystem['problems'] {
  const all = processes.flatMap(({ problems = [] }) =>
    problems.map(({ upstream = null, what, problem }) => ({ upstream, what, problem }))
  )
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

function sum<Entry extends Counted>(entries: readonly Entry[], nameOf: (entry: Entry) => string) {
  return [...Map.groupBy(entries, nameOf).values()]
    .map((some) => {
      const { count: _count, lastAt: _lastAt, ...of } = some[0]!
      const latest = Math.max(...some.map(({ lastAt }) => lastAt))
      return {
        ...of,
        count: some.reduce((total, { count }) => total + count, 0),
        last_at: new Date(latest).toISOString()
      }
    })
    .toSorted((one, other) => (one.last_at < other.last_at ? 1 : -1))
}
