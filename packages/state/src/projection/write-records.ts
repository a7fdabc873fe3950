import type { AccountRecord, KeyRecord, Pointer } from '@tollgate/contracts/records/records.ts'
import type { ChainableCommander } from 'ioredis'
import {
  accountName,
  accountShard,
  pointerName,
  type Shard,
  secretShard,
  shardMarker,
  tombstonesName
} from '../keyspace/names.ts'
import type { RedisLink, RedisNode } from '../link/redis-link.ts'
import { addOpenSpends, spendBatches } from '../spend/spend.ts'

/**
 * How long a pointer is kept after its secret stopped working (an hour). During this hour, requests with the secret are
 * told that the key is revoked; later, that it is not valid. The limit bounds what an account can store by creating and
 * revoking keys.
 */
export const deadPointerMs = 3_600_000

/** A record or pointer to copy from Postgres into Redis. */
export type ProjectionWrite =
  | { kind: 'key'; account: string; key: string; version: number; record: KeyRecord }
  /** `isDeleted`: the record is a tombstone of the account. */
  | { kind: 'account'; account: string; version: number; record: AccountRecord; isDeleted?: boolean }
  /**
   * `diedAt` is when the secret stopped working, ms since the epoch: the pointer expires {@link deadPointerMs} later.
   */
  | { kind: 'pointer'; digest: string; pointer: Pointer; diedAt: number | null }

/**
 * The outcome of a write. `present`: Redis has the same record, or has removed that tombstone. `later`: Redis has or
 * had a later version.
 */
export type WriteOutcome = 'stored' | 'present' | 'later'

/** Writes per call of the script: few enough to block Redis for less than half a millisecond. */
const batchSize = 100

/**
 * Makes all writes in their order. Each run of writes to the same process takes one round trip.
 * @throws the first failure; the other writes may have been made
 */
export async function putAll(link: RedisLink, writes: readonly ProjectionWrite[]): Promise<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = []
  for (const [node, together] of inTurn(link, writes)) outcomes.push(...(await putTogether(node, together)))
  return outcomes
}

/** Splits a list of writes where the next goes to another process. */
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
  // An account that is new to Redis has spent nothing. If Redis has lost an account, its shard is not verified, and
  // control seeds the spend from the ledger before it verifies the shard.
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

/** Splits a list of writes where the next goes to another shard. */
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

/** @param batch writes of one shard, at least one */
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

/**
 * Writes a pointer. A pointer never changes, so repeated writes are harmless. `diedAt`: see {@link ProjectionWrite}.
 */
export async function putPointer(
  link: RedisLink,
  digest: string,
  pointer: Pointer,
  diedAt: number | null = null
): Promise<void> {
  await putAll(link, [{ kind: 'pointer', digest, pointer, diedAt }])
}
