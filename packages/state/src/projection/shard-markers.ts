import { type AccountShard, allShards, type Shard, shardMarker } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { callForShard } from '../link/call-script.ts'
import { executeAll } from '../link/execute.ts'
import { RedisAwayError, type RedisLink, togetherFor } from '../link/redis-link.ts'
import { bulk, unpackParts } from '../wire/packed.ts'

/** The version and run for which a shard is verified; both null if it is not verified. */
export interface ShardState {
  version: number | null
  run: string | null
}

/**
 * `highest` is the highest version of any record that was written into the shard. It may be above `version`.
 * `month` is the open month, yyyymm; 0 without an open month.
 */
export interface ShardMarker extends ShardState {
  highest: number | null
  month: number
}

/** The result of control's check of a shard. */
export interface ShardVerdict {
  /** Redis has every change up to this version. */
  version: number
  run: string
  /** The month to open, yyyymm; 0 to leave that as it is. */
  month?: number
  /** Tags of runs whose usage is in the ledger and not in Redis. If absent, they stay as they are. */
  lostRuns?: readonly string[]
}

/** A marker, and the run id of the process that has the shard now. */
export interface FoundMarker extends ShardMarker {
  currentRunId: string
}

/** A running replay. `at` is the shard's state when it began. */
export interface ShardClaim {
  shard: Shard
  token: string
  at: ShardState
}

/** Markers of shards, and the errors of processes that could not be read. */
export interface FoundShards {
  markers: Map<Shard, FoundMarker>
  failures: Error[]
}

/** Reads the markers of all shards: one question for all, in a cluster one for each. */
export async function readShards(link: RedisLink): Promise<FoundShards> {
  const result: FoundShards = { markers: new Map(), failures: [] }
  await Promise.all(
    togetherFor(link, allShards, (shard) => shard).map((together) => readTogether(link, together, result))
  )
  return result
}

type FoundMember = Buffer | null

/** Reads the markers of shards that one script may read. */
async function readTogether(
  link: RedisLink,
  shards: readonly Shard[],
  { markers, failures }: FoundShards
): Promise<void> {
  const currentRunId = currentRunIdOf(link, shards[0]!)
  let found: FoundMember[]
  try {
    const keys = shards.map((shard) => bulk(shardMarker(shard))).join('')
    const count = bulk(String(shards.length))
    const call = { keyCount: shards.length, keys, argumentCount: 1, rest: count, answersInBytes: true }
    found = (await callForShard(link, shards[0]!, 'tgReadMarkers', call)) as FoundMember[]
  } catch (error) {
    failures.push(...shards.map(() => error as Error))
    return
  }
  for (const [index, shard] of shards.entries()) {
    const [verified, highest, failure] = found.slice(3 * index, 3 * index + 3) as [
      FoundMember,
      FoundMember,
      FoundMember
    ]
    if (failure !== null || currentRunId === null)
      failures.push(failure === null ? new RedisAwayError() : new Error(failure.toString()))
    else {
      const version = highest === null ? null : Number(highest)
      markers.set(shard, { ...readVerified(verified), highest: version, currentRunId })
    }
  }
}

/** The run id of the process that has a shard; null if it is not known. */
function currentRunIdOf(link: RedisLink, shard: Shard): string | null {
  try {
    return link.nodeOf(shard).run()
  } catch {
    return null
  }
}

function readVerified(packed: Buffer | null): ShardState & { month: number } {
  if (packed === null) return { version: null, run: null, month: 0 }
  const { version, month, run } = unpackParts(layouts.marker, packed)
  return { version, month, run }
}

/** Begins a replay into a shard. `claim-shard.lua` says what a claim prevents. */
export async function claimShard(link: RedisLink, shard: Shard, token: string): Promise<ShardClaim> {
  const [version, run] = await link.nodeOf(shard).client.tgClaimShard(shardMarker(shard), token)
  return { shard, token, at: { version: version === '' ? null : Number(version), run: run === '' ? null : run } }
}

/**
 * Ends a replay: marks the shard as verified.
 * @returns false, without a change, if the shard changed or lost data since the claim
 */
export async function markVerified(link: RedisLink, claim: ShardClaim, verdict: ShardVerdict): Promise<boolean> {
  const { at, shard, token } = claim
  const { version, run, month = 0, lostRuns } = verdict
  const from = at.version === null ? '' : String(at.version)
  const { client } = link.nodeOf(shard)
  const lost = lostRuns?.join('') ?? '='
  return (await client.tgMarkVerified(shardMarker(shard), token, from, at.run ?? '', version, run, month, lost)) === 1
}

/**
 * Opens a month in shards that are verified for their current process, in one round trip to each process.
 *
 * @param month yyyymm
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function openMonth(link: RedisLink, shards: readonly AccountShard[], month: number): Promise<void> {
  await executeAll(
    link,
    shards,
    (shard) => shard,
    (pipeline, shard) => pipeline.tgOpenMonth(shardMarker(shard), link.nodeOf(shard).run(), month)
  )
}

/** Releases a claim. After {@link markVerified} succeeded it has no effect. */
export async function releaseShard(link: RedisLink, claim: ShardClaim): Promise<void> {
  await link.nodeOf(claim.shard).client.hdel(shardMarker(claim.shard), `claim:${claim.token}`)
}
