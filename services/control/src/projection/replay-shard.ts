import type { AccountShard, Shard } from '@tollgate/contracts/keyspace/names.ts'
import { changeOf, epochOf } from '@tollgate/contracts/records/version.ts'
import {
  putAll,
  releaseShard,
  type ShardClaim,
  type ShardMarker,
  stampShard
} from '@tollgate/contracts/redis/project.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { insistOnRun } from './insist-on-run.ts'
import { seedShard } from './seed-shard.ts'
import type { ProjectionSource } from './source.ts'

/** A shard that is claimed, and what it is to be brought to. */
export type ClaimedShard = {
  claim: ShardClaim
  /** As it was when judged. */
  marker: ShardMarker
  /**
   * What Postgres had. Read after the claim: then everything that Redis ever acknowledged up to this version is either
   * still there, or went away together with the claim.
   */
  version: number
}

/**
 * Brings what a shard lacks from Postgres to Redis, records and what was spent, and then vouches for it.
 *
 * Every write must reach the process that is vouched to: one that came up meanwhile, perhaps with older data, is left to
 * the next pass. Data that went away under the same process takes the claim with it, and the stamp fails.
 *
 * @param run the Redis process for which the shard was judged
 * @returns how many writes were made, or null if the shard was left alone because somebody else brought it further
 * @throws RedisAwayError if the process is not the same any more; whatever source and Redis throw; the signal's reason
 */
export async function replayShard(
  source: ProjectionSource,
  redis: RedisLink,
  { claim, marker, version }: ClaimedShard,
  run: string,
  signal: AbortSignal
): Promise<number | null> {
  let stamped = false
  try {
    // Only what was judged to be behind is replayed: another state may even be ahead, which the next pass will judge.
    if (claim.at.version !== marker.version || claim.at.run !== marker.run) return null
    let count = 0
    const epoch = epochOf(version)
    const from = replayedUpTo(marker, epoch)
    // After a restart that lost nothing there is only the run to vouch for.
    if (from < changeOf(version)) {
      const pages = source.writesAfter(claim.shard, from, epoch, mayHoldRecords(marker, epoch))
      for await (const writes of pages) {
        signal.throwIfAborted()
        insistOnRun(redis, claim.shard, run)
        await putAll(redis, writes)
        count += writes.length
      }
    }
    // Another process than the one that was vouched to may have lost what was spent. After the records: with them accounts
    // get a spend, to which what is settled from then on is added. A shard that never had a change has no accounts. Where
    // no version is known, data had another form. In a new epoch a key may live again whose spend went with its tombstone.
    const isNew = marker.run !== run || marker.version === null || epochOf(marker.version) !== epoch
    if (isAccountShard(claim.shard) && isNew && changeOf(version) > 0) {
      await seedShard(source.ledger, redis, claim.shard, run, new Date(), signal)
    }
    insistOnRun(redis, claim.shard, run)
    stamped = await stampShard(redis, claim, version, run)
    return stamped ? count : null
  } finally {
    // Claims of replays that failed would pile up in the marker. If this fails too, the next stamp removes them.
    if (!stamped) await releaseShard(redis, claim).catch(() => undefined)
  }
}

const isAccountShard = (shard: Shard): shard is AccountShard => shard.startsWith('a')

/** The last change of the epoch that Redis certainly has. */
function replayedUpTo(marker: ShardMarker, epoch: number): number {
  return marker.version !== null && epochOf(marker.version) === epoch ? changeOf(marker.version) : 0
}

/** Whether Redis may hold records of the epoch, which must then learn even of what was revoked long ago. */
function mayHoldRecords(marker: ShardMarker, epoch: number): boolean {
  return [marker.version, marker.highest].some((seen) => seen !== null && epochOf(seen) === epoch)
}
