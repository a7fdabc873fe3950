import type { AccountRecord, KeyRecord, Pointer } from '@tollgate/contracts/records/records.ts'
import type { ChainableCommander } from 'ioredis'
import {
  type AccountShard,
  accountName,
  accountShard,
  allShards,
  catalogName,
  changesChannel,
  pointerName,
  type Shard,
  secretShard,
  shardMarker,
  tombstonesName,
  vouchedField
} from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll, tryAll } from '../link/execute.ts'
import { anyNode, RedisAwayError, type RedisLink, type RedisNode } from '../link/redis-link.ts'
import { addOpenSpends, spendBatches } from '../spend/spend.ts'
import { unpackParts } from '../wire/packed.ts'

/**
 * How long the pointer of a secret that died is kept (an hour), so that a request with it hears that the key is revoked.
 * Later it hears that the key is not valid. The hour bounds what an account can leave by making and revoking keys.
 */
export const deadPointerMs = 3_600_000

/** Where a shard stands in Redis, as its marker says; nulls if it has none. */
export type ShardState = { version: number | null; run: string | null }

/**
 * `highest` is the highest version of any record that was written into the shard: there may be records beyond `version`.
 * `month` is the one that is open, yyyymm; 0 if none is.
 */
export type ShardMarker = ShardState & { highest: number | null; month: number }

/** What control has found out of a shard that it verifies. */
export type ShardVerdict = {
  /** Every change up to it is here. */
  version: number
  run: string
  /** The month to open, yyyymm; 0 to leave that as it is. */
  month?: number
  /** Tags of runs whose usage is in the ledger and not in Redis. Unless given, it stays as it is. */
  lostRuns?: readonly string[]
}

/** A marker, and the run of the process that holds the shard. */
export type FoundMarker = ShardMarker & { holder: string }

/** A replay under way. `at` is where the shard stood when it began. */
export type ShardClaim = { shard: Shard; token: string; at: ShardState }

/** Something of Postgres on its way into Redis. */
export type ProjectionWrite =
  | { kind: 'key'; account: string; key: string; version: number; record: KeyRecord }
  /** `isDeleted`: nothing of the account is needed any more, so its record is a tombstone. */
  | { kind: 'account'; account: string; version: number; record: AccountRecord; isDeleted?: boolean }
  /** `diedAt` is when the secret stopped working, ms since the epoch: the pointer goes {@link deadPointerMs} later. */
  | { kind: 'pointer'; digest: string; pointer: Pointer; diedAt: number | null }

/**
 * What became of a write: `present` if Redis had just that already, or has swept that tombstone; `later` if it has, or had,
 * one of a later version.
 */
export type WriteOutcome = 'stored' | 'present' | 'later'

/** Writes that one script makes at once: few enough to keep admissions waiting for less than half a millisecond. */
const batchSize = 100

/**
 * Makes all writes in their order, in one round trip to each process that holds some of them, one after the other.
 * @throws the first failure; the other writes may have been made
 */
export async function putAll(link: RedisLink, writes: readonly ProjectionWrite[]): Promise<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = []
  for (const [node, together] of inTurn(link, writes)) outcomes.push(...(await putTogether(node, together)))
  return outcomes
}

/** Cuts a list of writes where the next goes to another process. */
function inTurn(link: RedisLink, writes: readonly ProjectionWrite[]): Array<[RedisNode, readonly ProjectionWrite[]]> {
  const turns: Array<[RedisNode, ProjectionWrite[]]> = []
  for (const write of writes) {
    const node = link.nodeOf(shardOfWrite(write))
    const last = turns.at(-1)
    if (last?.[0] === node) last[1].push(write)
    else turns.push([node, [write]])
  }
  return turns
}

async function putTogether(node: RedisNode, writes: readonly ProjectionWrite[]): Promise<WriteOutcome[]> {
  const pipeline = node.client.pipeline()
  const batches = batchesOf(writes)
  for (const batch of batches) addBatch(pipeline, batch)
  // An account that Redis did not know has spent nothing yet. Where that is not so, Redis is not the one that was vouched
  // to, and spend is seeded from the ledger before it is again.
  const accounts = writes.flatMap((write) => (write.kind === 'account' && !isTombstone(write) ? write.account : []))
  for (const ofShard of Map.groupBy(accounts, accountShard).values()) {
    for (const batch of spendBatches(ofShard)) addOpenSpends(pipeline, batch, null)
  }
  const answers = (await pipeline.exec()) ?? []
  for (const [error] of answers) if (error !== null) throw error
  return batches.flatMap((batch, index) => {
    const [, answer] = answers[index]!
    return Array.isArray(answer) ? answer.map(toOutcome) : batch.map((): WriteOutcome => 'stored')
  })
}

const isTombstone = (write: Exclude<ProjectionWrite, { kind: 'pointer' }>): boolean =>
  write.kind === 'key' ? write.record.status === 'revoked' : write.isDeleted === true

const toOutcome = (answer: 1 | 0 | -1): WriteOutcome => (answer === 1 ? 'stored' : answer === 0 ? 'present' : 'later')

/** Cuts a list of writes where the next goes to another shard. */
function batchesOf(writes: readonly ProjectionWrite[]): ProjectionWrite[][] {
  const batches: ProjectionWrite[][] = []
  let batch: ProjectionWrite[] = []
  let shard: Shard | null = null
  for (const write of writes) {
    const next = shardOfWrite(write)
    if (next !== shard || batch.length === batchSize) {
      batch = []
      batches.push(batch)
      shard = next
    }
    batch.push(write)
  }
  return batches
}

const shardOfWrite = (write: ProjectionWrite): Shard =>
  write.kind === 'pointer' ? secretShard(write.digest) : accountShard(write.account)

/** @param batch writes of one shard, of which there is at least one */
function addBatch(pipeline: ChainableCommander, batch: readonly ProjectionWrite[]): void {
  const keys: string[] = []
  const rest: Array<string | number> = []
  for (const write of batch) {
    if (write.kind === 'pointer') {
      keys.push(pointerName(write.digest))
      rest.push(JSON.stringify(write.pointer), write.diedAt === null ? '' : write.diedAt + deadPointerMs)
    } else if (write.kind === 'account') {
      keys.push(accountName(write.account))
      rest.push('a', 'r', write.version, JSON.stringify(write.record), isTombstone(write) ? 1 : 0)
    } else {
      keys.push(accountName(write.account))
      const { key, version, record } = write
      rest.push(`k:${key}`, `r:${key}`, version, JSON.stringify(record), isTombstone(write) ? 1 : 0)
    }
  }
  const [first] = batch
  if (first!.kind === 'pointer') pipeline.tgPutPointers(keys.length, ...keys, ...rest)
  else {
    const shard = accountShard(first!.account)
    pipeline.tgPutRecords(keys.length + 2, shardMarker(shard), tombstonesName(shard), ...keys, ...rest)
  }
}

/** Writes a key record unless a later version is there. @returns whether it was stored */
export async function putKeyRecord(
  link: RedisLink,
  account: string,
  key: string,
  version: number,
  record: KeyRecord
): Promise<boolean> {
  const [outcome] = await putAll(link, [{ kind: 'key', account, key, version, record }])
  return outcome === 'stored'
}

/** Writes an account record unless a later version is there. @returns whether it was stored */
export async function putAccountRecord(
  link: RedisLink,
  account: string,
  version: number,
  record: AccountRecord
): Promise<boolean> {
  const [outcome] = await putAll(link, [{ kind: 'account', account, version, record }])
  return outcome === 'stored'
}

/** Writes a pointer; what it says never changes, so writing it again is harmless. `diedAt`: see {@link ProjectionWrite}. */
export async function putPointer(
  link: RedisLink,
  digest: string,
  pointer: Pointer,
  diedAt: number | null = null
): Promise<void> {
  await putAll(link, [{ kind: 'pointer', digest, pointer, diedAt }])
}

/** Markers of shards, and what those failed with whose process could not be asked. */
export type FoundShards = { markers: Map<Shard, FoundMarker>; failures: Error[] }

/** The markers of all shards, in one round trip to each process. */
export async function readShards(link: RedisLink): Promise<FoundShards> {
  const holders = new Map(allShards.map((shard) => [shard, holderOf(link, shard)]))
  const results = await tryAll(
    link,
    allShards,
    (shard) => shard,
    (pipeline, shard) => pipeline.hmgetBuffer(shardMarker(shard), vouchedField, 'highest')
  )
  const found: FoundShards = { markers: new Map(), failures: [] }
  for (const [index, [error, answer]] of results.entries()) {
    const shard = allShards[index]!
    const holder = holders.get(shard)
    if (error !== null || holder == null) found.failures.push(error ?? new RedisAwayError())
    else {
      const [vouched, highest] = answer as [Buffer | null, Buffer | null]
      found.markers.set(shard, { ...readVouched(vouched), highest: highest === null ? null : Number(highest), holder })
    }
  }
  return found
}

/** The run of the process that holds a shard; null if that is not known. */
function holderOf(link: RedisLink, shard: Shard): string | null {
  try {
    return link.nodeOf(shard).run()
  } catch {
    return null
  }
}

function readVouched(packed: Buffer | null): ShardState & { month: number } {
  if (packed === null) return { version: null, run: null, month: 0 }
  const { version, month, run } = unpackParts(layouts.marker, packed)
  return { version, month, run }
}

/** Begins a replay into a shard. See `claim-shard.lua` for what a claim protects from. */
export async function claimShard(link: RedisLink, shard: Shard, token: string): Promise<ShardClaim> {
  const [version, run] = await link.nodeOf(shard).client.tgClaimShard(shardMarker(shard), token)
  return { shard, token, at: { version: version === '' ? null : Number(version), run: run === '' ? null : run } }
}

/**
 * Ends a replay: writes down what was verified.
 * @returns false if the shard has moved on or lost its data since the claim: nothing was changed then
 */
export async function stampShard(link: RedisLink, claim: ShardClaim, verdict: ShardVerdict): Promise<boolean> {
  const { at, shard, token } = claim
  const { version, run, month = 0, lostRuns } = verdict
  const from = at.version === null ? '' : String(at.version)
  const { client } = link.nodeOf(shard)
  const lost = lostRuns?.join('') ?? '='
  return (await client.tgStampShard(shardMarker(shard), token, from, at.run ?? '', version, run, month, lost)) === 1
}

/**
 * Opens a month in shards that are verified for the process that holds them, in one round trip to each process.
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

/** Gives a claim up. Not needed after {@link stampShard} succeeded, and of no effect then. */
export async function releaseShard(link: RedisLink, claim: ShardClaim): Promise<void> {
  await link.nodeOf(claim.shard).client.hdel(shardMarker(claim.shard), `claim:${claim.token}`)
}

/** What `catalog` in Redis holds: `run` is the process to which control has vouched for it. */
export type StoredCatalog = { version: number; run: string; json: string }

export async function putCatalog(link: RedisLink, catalog: StoredCatalog): Promise<void> {
  await link
    .nodeOf(catalogName)
    .client.hset(catalogName, { version: catalog.version, run: catalog.run, json: catalog.json })
}

/** Version and run of the stored catalog, without its text; null if there is none. */
export async function readCatalogVersion(link: RedisLink): Promise<{ version: number; run: string } | null> {
  const [version, run] = await link.nodeOf(catalogName).client.hmget(catalogName, 'version', 'run')
  return version == null || run == null ? null : { version: Number(version), run }
}

export async function readCatalog(link: RedisLink): Promise<StoredCatalog | null> {
  const { version, run, json } = await link.nodeOf(catalogName).client.hgetall(catalogName)
  return version === undefined || run === undefined || json === undefined
    ? null
    : { version: Number(version), run, json }
}

/** A hint that something changed, published on `changes`; nothing depends on its arrival. */
export type ChangeNotice =
  | { kind: 'catalog' }
  | { kind: 'account'; account: string }
  | { kind: 'key'; account: string; key: string }

export async function announceChange(link: RedisLink, notice: ChangeNotice): Promise<void> {
  await anyNode(link).client.publish(changesChannel, JSON.stringify(notice))
}
