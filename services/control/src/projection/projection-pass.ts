import { randomUUID } from 'node:crypto'
import { epochOf, versionOf } from '@tollgate/contracts/records/version.ts'
import {
  type AccountShard,
  accountShards,
  catalogName,
  monthNumber,
  type Shard
} from '@tollgate/state/keyspace/names.ts'
import { type RedisLink, readAnyRedisTime } from '@tollgate/state/link/redis-link.ts'
import {
  claimShard,
  type FoundMarker,
  openMonth,
  readShards,
  releaseShard
} from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { judgeClocks } from '../clocks/clock-watch.ts'
import { isDatabaseAway } from '../database/database-away.ts'
import { compareShards, type StaleShard } from './compare-shards.ts'
import { type KeptEndings, keepEndings } from './keep-endings.ts'
import { type CatalogMarker, isCatalogAhead, projectCatalog } from './project-catalog.ts'
import { type ClaimedShard, replayShards } from './replay-shards.ts'
import { assertRunId } from './seed-shards.ts'
import type { ProjectionSource } from './source.ts'

/** Concurrent replays: while one waits for PostgreSQL or Redis, another proceeds. */
const concurrency = 2
/** Shards per query. Not more: work on a claim is lost when another replica verifies the shard first. */
const claimedAtOnce = 32
/** A pass with more failures than this ends; the next one starts again. */
const maxFailures = 16

export type PassResult =
  /** PostgreSQL had been restored: the epoch is raised, and another pass must follow at once. */
  { restored: true; kept: KeptEndings } | { restored: false; shards: number; writes: number }

/**
 * Compares Redis with PostgreSQL once, and writes the missing changes to Redis. Without changes this costs two queries.
 * Any number of passes may run at once, in any process.
 *
 * @throws the first failure, after all other shards were served
 */
export async function runPass(
  source: ProjectionSource,
  redis: RedisLink,
  signal: AbortSignal,
  order: (stale: StaleShard[]) => StaleShard[] = rotate
): Promise<PassResult> {
  // The markers are read before PostgreSQL: see `compareShards`.
  const [{ markers, failures }, catalog, redisMs] = await Promise.all([
    readShards(redis),
    findCatalog(redis),
    readAnyRedisTime(redis)
  ])
  const truth = await source.readTruth()
  const now = new Date(judgeClocks(Date.now(), truth.nowMs, redisMs).nowMs)
  const comparison = compareShards(markers, truth)
  const catalogMarker = catalog instanceof Error ? null : catalog.marker
  if (comparison.ahead || isCatalogAhead(catalogMarker, truth)) {
    const later = comparison.ahead ? comparison.shards : []
    // A Redis process that cannot be read may know of more revocations.
    if (later.length > 0 && failures.length > 0) throw failures[0]
    const endings = await keepEndings(source, redis, later, truth.epoch, signal)
    const other = Math.max(comparison.ahead ? comparison.epoch : 0, epochOf(catalogMarker?.version ?? 0))
    await source.raiseEpoch(truth.epoch, other)
    return { restored: true, kept: endings }
  }
  if (catalog instanceof Error) failures.push(catalog)
  else await projectCatalog(source, redis, catalog.marker, truth, catalog.currentRunId)
  await openMonth(redis, shardsBefore(markers, monthNumber(now)), monthNumber(now)).catch((error) =>
    failures.push(error)
  )

  const byRunId = Map.groupBy(order(comparison.stale), ({ marker }) => marker.currentRunId)
  const served = await Promise.all(
    [...byRunId].map(([run, stale]) => serveShards(source, redis, stale, { run, now }, signal))
  )
  const [failure] = [...failures, ...served.flatMap((one) => one.failures)]
  if (failure !== undefined) throw failure
  return { restored: false, shards: sumOf(served, 'shards'), writes: sumOf(served, 'writes') }
}

/** The catalog version in Redis, and the run id of the process that has it; or the error. */
async function findCatalog(redis: RedisLink): Promise<{ marker: CatalogMarker; currentRunId: string } | Error> {
  try {
    const currentRunId = redis.nodeOf(catalogName).run()
    return { marker: await readCatalogVersion(redis), currentRunId }
  } catch (error) {
    return error as Error
  }
}

/** Verified shards of accounts whose open month is an earlier one. */
function shardsBefore(markers: ReadonlyMap<Shard, FoundMarker>, month: number): AccountShard[] {
  return accountShards.filter((shard) => {
    const marker = markers.get(shard)
    return marker !== undefined && marker.run === marker.currentRunId && marker.month < month
  })
}

interface Served {
  shards: number
  writes: number
  failures: unknown[]
}

const sumOf = (served: readonly Served[], what: 'shards' | 'writes'): number =>
  served.reduce((sum, one) => sum + one[what], 0)

/** Updates the shards of one Redis process. Never rejects. */
async function serveShards(
  source: ProjectionSource,
  redis: RedisLink,
  queue: StaleShard[],
  at: { run: string; now: Date },
  signal: AbortSignal
): Promise<Served> {
  const failures: unknown[] = []
  const served = { shards: 0, writes: 0 }
  let isStopped = false
  function fail(error: unknown): void {
    failures.push(error)
    isStopped = signal.aborted || isDatabaseAway(error) || !redis.isReady() || failures.length > maxFailures
  }
  async function serve(stale: readonly StaleShard[]): Promise<void> {
    try {
      const { shards, writes } = await replayShards(
        source,
        redis,
        await claimAll(source, redis, stale, at.run),
        at,
        signal
      )
      served.shards += shards
      served.writes += writes
    } catch (error) {
      if (stale.length === 1) fail(error)
      // One failing shard must not stop the others.
      else for (const one of stale) if (!isStopped) await serve([one])
    }
  }
  async function serveQueue(): Promise<void> {
    while (queue.length > 0 && !isStopped) await serve(queue.splice(0, claimedAtOnce))
  }
  await Promise.all(Array.from({ length: concurrency }, serveQueue))
  return { ...served, failures }
}

/** Claims shards, and only then reads their versions in PostgreSQL. */
async function claimAll(
  source: ProjectionSource,
  redis: RedisLink,
  stale: readonly StaleShard[],
  run: string
): Promise<ClaimedShard[]> {
  assertRunId(
    redis,
    stale.map(({ shard }) => shard),
    run
  )
  const claims = await Promise.all(stale.map(({ shard }) => claimShard(redis, shard, randomUUID())))
  try {
    const { epoch, changes } = await source.readTruth()
    return stale.map(({ shard, marker }, index) => ({
      claim: claims[index]!,
      marker,
      version: versionOf(epoch, changes.get(shard) ?? 0)
    }))
  } catch (error) {
    await Promise.all(claims.map((claim) => releaseShard(redis, claim).catch(() => undefined)))
    throw error
  }
}

/**
 * Sorts shards, so that the rows of one query are close together. Begins at a random shard, so that two replicas rarely
 * repair the same one.
 */
function rotate(stale: StaleShard[]): StaleShard[] {
  const sorted = stale.toSorted((one, other) => (one.shard < other.shard ? -1 : 1))
  const from = Math.floor(Math.random() * sorted.length)
  return [...sorted.slice(from), ...sorted.slice(0, from)]
}
