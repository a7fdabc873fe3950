import { changeOf, epochOf } from '@tollgate/contracts/records/version.ts'
import {
  type AccountShard,
  accountShard,
  monthNumber,
  type Shard,
  shardMarker
} from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import {
  markVerified,
  releaseShard,
  type ShardClaim,
  type ShardMarker
} from '@tollgate/state/projection/shard-markers.ts'
import { putAll } from '@tollgate/state/projection/write-records.ts'
import { readUsage } from '@tollgate/state/usage/usage.ts'
import type { Ledger, LedgerRow } from '../usage/ledger.ts'
import { assertRunId, seedShards } from './seed-shards.ts'
import type { ProjectionSource } from './source.ts'

/** A claimed shard and its target version. */
export interface ClaimedShard {
  claim: ShardClaim
  /** The marker that was compared. */
  marker: ShardMarker
  /**
   * PostgreSQL's version. It is read after the claim: then everything that Redis acknowledged up to this version is
   * either still there, or was lost together with the claim.
   */
  version: number
}

/** How many shards were verified, and how many writes that took. */
export interface Replayed {
  shards: number
  writes: number
}

/**
 * Writes missing records and spend of shards from PostgreSQL to Redis, and then verifies the shards. Many shards share
 * few queries.
 *
 * Every write must reach the Redis process for which the shards are verified. A new process, perhaps with older data,
 * is left to the next pass. If the same process loses data, the claim is lost too, and the verification fails. A shard
 * that another replica has brought to a later version is skipped.
 *
 * @param at run id of the Redis process for which the shards were compared, and the agreed time
 * @throws RedisAwayError if another process answers; the error of PostgreSQL or Redis; the signal's reason. Then no
 *   shard is verified
 */
export async function replayShards(
  source: ProjectionSource,
  redis: RedisLink,
  claimed: readonly ClaimedShard[],
  { run, now }: { run: string; now: Date },
  signal: AbortSignal
): Promise<Replayed> {
  const verified = new Set<ClaimedShard>()
  try {
    // Only shards in the compared state are replayed. Another state is for the next pass.
    const due = claimed.filter(
      ({ claim, marker }) => claim.at.version === marker.version && claim.at.run === marker.run
    )
    const writes = await writeMissing(source, redis, due, run, signal)
    // Spend is seeded if the process is not the verified one, because it may have lost some; if no version is known,
    // because the data had another form; and in a new epoch, because a key may be active again whose spend went with
    // its tombstone. It comes after the records: they create the spend to which settlements add. A shard without
    // changes has no accounts.
    const isNew = ({ marker, version }: ClaimedShard) =>
      marker.run !== run || marker.version === null || epochOf(marker.version) !== epochOf(version)
    const withAccounts = due.filter((one) => isNew(one) && changeOf(one.version) > 0).map(({ claim }) => claim.shard)
    const seeded = withAccounts.filter(isAccountShard)
    await seedShards(source.ledger, redis, seeded, run, now, signal)
    if (seeded.length > 0) await source.seedBudgets(redis, seeded, signal)
    // After the seeding, which has copied all usage that Redis still has.
    const lostRuns = await findLostRuns(source.ledger, redis, seeded, now)
    const shards = due.map(({ claim }) => claim.shard)
    assertRunId(redis, shards, run)
    await Promise.all(
      due.map(async (one) => {
        const { claim, version } = one
        const result = {
          version,
          run,
          month: isAccountShard(claim.shard) ? monthNumber(now) : 0,
          ...(isNew(one) && { lostRuns: [...(lostRuns.get(claim.shard as AccountShard) ?? [])] })
        }
        if (await markVerified(redis, claim, result)) verified.add(one)
      })
    )
    return { shards: verified.size, writes }
  } finally {
    // Claims of failed replays would accumulate in the marker. If this fails too, the next verification removes them.
    const left = claimed.filter((one) => !verified.has(one))
    await Promise.all(left.map(({ claim }) => releaseShard(redis, claim).catch(() => undefined)))
  }
}

/** @returns how many writes were made */
async function writeMissing(
  source: ProjectionSource,
  redis: RedisLink,
  due: readonly ClaimedShard[],
  run: string,
  signal: AbortSignal
): Promise<number> {
  let count = 0
  // After a restart without loss, only the run id changes.
  const behind = due.filter(({ marker, version }) => replayedUpTo(marker, epochOf(version)) < changeOf(version))
  for (const group of Map.groupBy(behind, queryOf).values()) {
    const [{ marker, version }] = group as [ClaimedShard]
    const shards = group.map(({ claim }) => claim.shard)
    const epoch = epochOf(version)
    const pages = source.writesAfter(shards, replayedUpTo(marker, epoch), epoch, mayHoldRecords(marker, epoch))
    for await (const writes of pages) {
      signal.throwIfAborted()
      assertRunId(redis, shards, run)
      await putAll(redis, writes)
      count += writes.length
    }
  }
  return count
}

/** Shards with the same value share a query. */
function queryOf({ marker, version }: ClaimedShard): string {
  const epoch = epochOf(version)
  return [replayedUpTo(marker, epoch), epoch, mayHoldRecords(marker, epoch)].join()
}

const isAccountShard = (shard: Shard): shard is AccountShard => shard.startsWith('a')

/** The last change of the epoch that Redis has for certain. */
function replayedUpTo(marker: ShardMarker, epoch: number): number {
  return marker.version !== null && epochOf(marker.version) === epoch ? changeOf(marker.version) : 0
}

/** Whether Redis may have records of the epoch: then it needs even long revoked keys. */
function mayHoldRecords(marker: ShardMarker, epoch: number): boolean {
  return [marker.version, marker.highest].some((seen) => seen !== null && epochOf(seen) === epoch)
}

const hourMs = 3_600_000
/** Hours to look back: if Redis has removed no rows yet, and the maximum. */
const [defaultHours, maxHours] = [3, 48]

/**
 * Finds run ids whose usage is in the ledger but no longer in Redis: Redis lost settlements of these runs after they
 * had been copied. For every other run, Redis has all that the ledger has.
 *
 * Only rows that Redis may still have are compared. Redis stores with its data up to which hour it has removed rows: an
 * older state that comes back has the older hour.
 *
 * @param now the agreed time, see `judgeClocks`
 * @returns tags of the run ids, by shard
 * @throws RedisAwayError, or the error of Redis or the ledger
 */
export async function findLostRuns(
  ledger: Pick<Ledger, 'accountsOf' | 'rowsSince'>,
  redis: RedisLink,
  shards: readonly AccountShard[],
  now: Date
): Promise<Map<AccountShard, Set<string>>> {
  const hour = Math.floor(now.getTime() / hourMs)
  const forgottenBefore = Math.min(...(await readForgotten(redis, shards)).values())
  const since = Math.max(forgottenBefore === 0 ? hour - defaultHours : forgottenBefore - 1, hour - maxHours)
  const lost = new Map(shards.map((shard) => [shard, new Set<string>()]))
  for await (const accounts of ledger.accountsOf(shards)) {
    const rows = await ledger.rowsSince(accounts, since)
    if (rows.length === 0) continue
    const { usages } = await readUsage(
      redis,
      rows.map(({ name }) => name)
    )
    // Read after the rows: rows that Redis removed meanwhile are not lost.
    const forgotten = await readForgotten(redis, shards)
    const present = new Map(usages.map((usage) => [usage.name, usage]))
    for (const row of rows) {
      const here = present.get(row.name)
      const isHere = here !== undefined && here.born === row.born && here.revision >= row.revision
      const shard = accountShard(row.account)
      if (!isHere && finalHourOf(row) > forgotten.get(shard)!) lost.get(shard)!.add(row.tag)
    }
  }
  return lost
}

/** The hour up to which each shard has removed final rows; 0 if it has removed none. */
async function readForgotten(redis: RedisLink, shards: readonly AccountShard[]): Promise<Map<AccountShard, number>> {
  const answers = await executeAll(
    redis,
    shards,
    (shard) => shard,
    (pipeline, shard) => pipeline.hget(shardMarker(shard), 'forgotten')
  )
  return new Map(shards.map((shard, index) => [shard, Number(answers[index] ?? 0)]))
}

/** Same as in `layout/usage.lua` of @tollgate/state. */
const finalHourOf = ({ hour, lateHour }: LedgerRow): number => (lateHour ?? hour) + 2
