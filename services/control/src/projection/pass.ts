import { randomUUID } from 'node:crypto'
import { epochOf, versionOf } from '@tollgate/contracts/records/version.ts'
import { monthNumber } from '@tollgate/state/keyspace/month.ts'
import { type AccountShard, accountShards, catalogName, type Shard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readAnyRedisTime } from '@tollgate/state/link/redis-time.ts'
import {
  claimShard,
  type FoundMarker,
  openMonth,
  readShards,
  releaseShard
} from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { judgeClocks } from '../clocks/judge-clocks.ts'
import { isDatabaseAway } from '../database/database-away.ts'
import { type CatalogMarker, isCatalogAhead, projectCatalog } from './catalog.ts'
import { insistOnRun } from './insist-on-run.ts'
import { judgeShards, type StaleShard } from './judge-shards.ts'
import { type ClaimedShard, replayShards } from './replay-shards.ts'
import type { ProjectionSource } from './source.ts'

/** Replays under way at once, so that this process works while it waits for Postgres or Redis with another. */
const concurrency = 2
/** One query serves as many shards as this. A claim that another replica's stamp replaces is work for nothing. */
const claimedAtOnce = 32
/** A pass that fails more often than this is abandoned; the next begins anew. */
const maxFailures = 16

export type PassResult =
  /** Postgres had been restored: the epoch is raised, and another pass should follow at once. */
  { restored: true } | { restored: false; shards: number; writes: number }

/**
 * Compares Redis with Postgres once, and brings over what is missing. When nothing changed that costs two queries.
 * Any number may run at once, in any processes.
 *
 * @throws the first failure, after the shards that did not fail have been served
 */
export async function runPass(
  source: ProjectionSource,
  redis: RedisLink,
  signal: AbortSignal,
  order: (stale: StaleShard[]) => StaleShard[] = rotate
): Promise<PassResult> {
  // The markers first: judging depends on it.
  const [{ markers, failures }, catalog, redisMs] = await Promise.all([
    readShards(redis),
    findCatalog(redis),
    readAnyRedisTime(redis)
  ])
  const truth = await source.readTruth()
  const now = new Date(judgeClocks(Date.now(), truth.nowMs, redisMs).nowMs)
  const judgement = judgeShards(markers, truth)
  const catalogMarker = catalog instanceof Error ? null : catalog.marker
  if (judgement.ahead || isCatalogAhead(catalogMarker, truth)) {
    const other = Math.max(judgement.ahead ? judgement.epoch : 0, epochOf(catalogMarker?.version ?? 0))
    await source.raiseEpoch(truth.epoch, other)
    return { restored: true }
  }
  if (catalog instanceof Error) failures.push(catalog)
  else await projectCatalog(source, redis, catalog.marker, truth, catalog.holder)
  await openMonth(redis, shardsBefore(markers, monthNumber(now)), monthNumber(now)).catch((error) =>
    failures.push(error)
  )

  const byHolder = Map.groupBy(order(judgement.stale), ({ marker }) => marker.holder)
  const served = await Promise.all(
    [...byHolder].map(([run, stale]) => serveShards(source, redis, stale, { run, now }, signal))
  )
  const [failure] = [...failures, ...served.flatMap((one) => one.failures)]
  if (failure !== undefined) throw failure
  return { restored: false, shards: sumOf(served, 'shards'), writes: sumOf(served, 'writes') }
}

/** What Redis says of its catalog, and the run of the process that says so; or why it says nothing. */
async function findCatalog(redis: RedisLink): Promise<{ marker: CatalogMarker; holder: string } | Error> {
  try {
    const holder = redis.nodeOf(catalogName).run()
    return { marker: await readCatalogVersion(redis), holder }
  } catch (error) {
    return error as Error
  }
}

/** The shards of accounts in which an earlier month is open. */
function shardsBefore(markers: ReadonlyMap<Shard, FoundMarker>, month: number): AccountShard[] {
  return accountShards.filter((shard) => {
    const marker = markers.get(shard)
    return marker !== undefined && marker.run === marker.holder && marker.month < month
  })
}

type Served = { shards: number; writes: number; failures: unknown[] }

const sumOf = (served: readonly Served[], what: 'shards' | 'writes'): number =>
  served.reduce((sum, one) => sum + one[what], 0)

/** Brings shards that one process holds up to Postgres. Never rejects. */
async function serveShards(
  source: ProjectionSource,
  redis: RedisLink,
  queue: StaleShard[],
  at: { run: string; now: Date },
  signal: AbortSignal
): Promise<Served> {
  const failures: unknown[] = []
  const served = { shards: 0, writes: 0 }
  let isHopeless = false
  function fail(error: unknown): void {
    failures.push(error)
    isHopeless = signal.aborted || isDatabaseAway(error) || !redis.isReady() || failures.length > maxFailures
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
      // The failure of one shard is not that of the others.
      else for (const one of stale) if (!isHopeless) await serve([one])
    }
  }
  async function serveQueue(): Promise<void> {
    while (queue.length > 0 && !isHopeless) await serve(queue.splice(0, claimedAtOnce))
  }
  await Promise.all(Array.from({ length: concurrency }, serveQueue))
  return { ...served, failures }
}

/** Claims shards, and only then reads what they are to be brought to. */
async function claimAll(
  source: ProjectionSource,
  redis: RedisLink,
  stale: readonly StaleShard[],
  run: string
): Promise<ClaimedShard[]> {
  insistOnRun(
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

/** In order, so that one query reads what is together; from somewhere on, so that replicas that do the same work meet rarely. */
function rotate(stale: StaleShard[]): StaleShard[] {
  const sorted = stale.toSorted((one, other) => (one.shard < other.shard ? -1 : 1))
  const from = Math.floor(Math.random() * sorted.length)
  return [...sorted.slice(from), ...sorted.slice(0, from)]
}
