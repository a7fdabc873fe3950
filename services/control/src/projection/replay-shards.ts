import { changeOf, epochOf } from '@tollgate/contracts/records/version.ts'
import { monthNumber } from '@tollgate/state/keyspace/month.ts'
import type { AccountShard, Shard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import {
  releaseShard,
  type ShardClaim,
  type ShardMarker,
  stampShard
} from '@tollgate/state/projection/shard-markers.ts'
import { putAll } from '@tollgate/state/projection/write-records.ts'
import { findLostRuns } from './find-lost-runs.ts'
import { insistOnRun } from './insist-on-run.ts'
import { seedShards } from './seed-shards.ts'
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

/** How many shards were verified, and how many writes that took. */
export type Replayed = { shards: number; writes: number }

/**
 * Brings what shards lack from Postgres to Redis, records and what was spent, and then verifies them. Many at once cost few
 * questions to Postgres.
 *
 * Every write must reach the process for which the shards are verified: one that came up meanwhile, perhaps with older data, is
 * left to the next pass. Data that went away under the same process takes the claim with it, and the stamp fails. A shard that
 * somebody else brought further is left alone.
 *
 * @param at the Redis process for which the shards were judged, and the time by the clocks that control believes
 * @throws RedisAwayError if the process is not the same any more; whatever source and Redis throw; the signal's reason. Then
 *   none of the shards is verified
 */
export async function replayShards(
  source: ProjectionSource,
  redis: RedisLink,
  claimed: readonly ClaimedShard[],
  { run, now }: { run: string; now: Date },
  signal: AbortSignal
): Promise<Replayed> {
  const stamped = new Set<ClaimedShard>()
  try {
    // Only what was judged to be behind is replayed: another state may even be ahead, which the next pass will judge.
    const due = claimed.filter(
      ({ claim, marker }) => claim.at.version === marker.version && claim.at.run === marker.run
    )
    const writes = await bringRecords(source, redis, due, run, signal)
    // Another process than the one that was verified may have lost what was spent. After the records: with them accounts
    // get a spend, to which what is settled from then on is added. A shard that never had a change has no accounts. Where
    // no version is known, data had another form. In a new epoch a key may live again whose spend went with its tombstone.
    const isNew = ({ marker, version }: ClaimedShard) =>
      marker.run !== run || marker.version === null || epochOf(marker.version) !== epochOf(version)
    const withAccounts = due.filter((one) => isNew(one) && changeOf(one.version) > 0).map(({ claim }) => claim.shard)
    const seeded = withAccounts.filter(isAccountShard)
    await seedShards(source.ledger, redis, seeded, run, now, signal)
    // After the copying, so that it is told only of what is not here.
    const lostRuns = await findLostRuns(source.ledger, redis, seeded, now)
    const shards = due.map(({ claim }) => claim.shard)
    insistOnRun(redis, shards, run)
    await Promise.all(
      due.map(async (one) => {
        const { claim, version } = one
        const verdict = {
          version,
          run,
          month: isAccountShard(claim.shard) ? monthNumber(now) : 0,
          ...(isNew(one) && { lostRuns: [...(lostRuns.get(claim.shard as AccountShard) ?? [])] })
        }
        if (await stampShard(redis, claim, verdict)) stamped.add(one)
      })
    )
    return { shards: stamped.size, writes }
  } finally {
    // Claims of replays that failed would pile up in the marker. If this fails too, the next stamp removes them.
    const left = claimed.filter((one) => !stamped.has(one))
    await Promise.all(left.map(({ claim }) => releaseShard(redis, claim).catch(() => undefined)))
  }
}

/** @returns how many writes were made */
async function bringRecords(
  source: ProjectionSource,
  redis: RedisLink,
  due: readonly ClaimedShard[],
  run: string,
  signal: AbortSignal
): Promise<number> {
  let count = 0
  // After a restart that lost nothing there is only the run to verify.
  const behind = due.filter(({ marker, version }) => replayedUpTo(marker, epochOf(version)) < changeOf(version))
  for (const alike of Map.groupBy(behind, fromWhere).values()) {
    const [{ marker, version }] = alike as [ClaimedShard]
    const shards = alike.map(({ claim }) => claim.shard)
    const epoch = epochOf(version)
    const pages = source.writesAfter(shards, replayedUpTo(marker, epoch), epoch, mayHoldRecords(marker, epoch))
    for await (const writes of pages) {
      signal.throwIfAborted()
      insistOnRun(redis, shards, run)
      await putAll(redis, writes)
      count += writes.length
    }
  }
  return count
}

/** The same for shards whose writes can be asked for together. */
function fromWhere({ marker, version }: ClaimedShard): string {
  const epoch = epochOf(version)
  return [replayedUpTo(marker, epoch), epoch, mayHoldRecords(marker, epoch)].join()
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
