import { type AccountShard, accountName, accountShards, shardMarker, tombstonesName } from '../keyspace/names.ts'
import { tryAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'

/**
 * How long the tombstone of a revoked key or a deleted account is kept (an hour). During this hour, requests are told
 * that the key is revoked; later, that it is not valid. Nothing else depends on the time: see `sweep-tombstones.lua`.
 */
export const tombstoneKeptMs = 3_600_000

/** Tombstones per call of the script: few enough to block Redis for less than half a millisecond. */
const batchSize = 100

export interface SweepOptions {
  shards?: readonly AccountShard[]
  /** Checked between steps. The next call removes the rest. */
  signal?: AbortSignal
  keptMs?: number
}

/**
 * Removes old tombstones. Calls may run at once, and an interrupted call can be repeated.
 *
 * @returns how many were removed
 * @throws RedisAwayError, or ioredis' error if no answer comes in time, after the shards of other processes were swept
 */
export async function sweepTombstones(
  link: RedisLink,
  { shards = accountShards, signal, keptMs = tombstoneKeptMs }: SweepOptions = {}
): Promise<number> {
  let removed = 0
  let failure: Error | null = null
  for (let left = shards; left.length > 0; ) {
    signal?.throwIfAborted()
    const answers = await tryAll(
      link,
      left,
      (shard) => shard,
      (pipeline, shard) => pipeline.tgFindTombstones(tombstonesName(shard), keptMs, batchSize)
    )
    failure ??= answers.find(([error]) => error !== null)?.[0] ?? null
    const batches = left.flatMap((shard, index): Batch[] => {
      const [, members] = answers[index]!
      return Array.isArray(members) && members.length > 0 ? [{ shard, members }] : []
    })
    const swept = await tryAll(link, batches, ({ shard }) => shard, addSweep)
    failure ??= swept.find(([error]) => error !== null)?.[0] ?? null
    // If a tombstone could not be removed, the next step would find it again.
    const isFull = (batch: Batch, index: number) => batch.members.length === batchSize && swept[index]![1] === batchSize
    left = batches.filter(isFull).map(({ shard }) => shard)
    for (const [, count] of swept) if (typeof count === 'number') removed += count
  }
  if (failure !== null) throw failure
  return removed
}

interface Batch {
  shard: AccountShard
  members: string[]
}

function addSweep(pipeline: Parameters<Parameters<typeof tryAll>[3]>[0], { shard, members }: Batch): void {
  const hashes = members.map((member) => accountName(accountOf(member)))
  pipeline.tgSweepTombstones(hashes.length + 2, shardMarker(shard), tombstonesName(shard), ...hashes, ...members)
}

const accountOf = (member: string): string => member.slice(0, member.indexOf(':'))
