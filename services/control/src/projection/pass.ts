import { epochOf } from '@tollgate/contracts/records/version.ts'
import { readCatalogVersion, readShards } from '@tollgate/contracts/redis/project.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { isDatabaseAway } from '../database/database-away.ts'
import { isCatalogAhead, projectCatalog } from './catalog.ts'
import { judgeShards, type StaleShard } from './judge-shards.ts'
import { replayShard } from './replay-shard.ts'
import type { ProjectionSource } from './source.ts'

/** Replays under way at once. More do not go faster: one process reads, converts and writes them all. */
const concurrency = 4
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
  order: (stale: StaleShard[]) => StaleShard[] = shuffle
): Promise<PassResult> {
  const run = redis.run()
  // The markers first: judging depends on it.
  const [markers, catalog] = await Promise.all([readShards(redis), readCatalogVersion(redis)])
  const truth = await source.readTruth()
  const judgement = judgeShards(markers, truth, run)
  if (judgement.ahead || isCatalogAhead(catalog, truth)) {
    const other = Math.max(judgement.ahead ? judgement.epoch : 0, epochOf(catalog?.version ?? 0))
    await source.raiseEpoch(truth.epoch, other)
    return { restored: true }
  }
  await projectCatalog(source, redis, catalog, truth, run)

  // In an order of its own, so that replicas that do the same work meet rarely, and one shard's failure hinders no other.
  const queue = order(judgement.stale)
  const failures: unknown[] = []
  let shards = 0
  let writes = 0
  async function serve(): Promise<void> {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      try {
        const count = await replayShard(source, redis, next, run, signal)
        if (count !== null) shards++
        writes += count ?? 0
      } catch (error) {
        failures.push(error)
        const isHopeless = signal.aborted || isDatabaseAway(error) || !redis.isReady() || redis.run() !== run
        if (isHopeless || failures.length > maxFailures) queue.length = 0
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, serve))
  if (failures.length > 0) throw failures[0]
  return { restored: false, shards, writes }
}

function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item)
}
