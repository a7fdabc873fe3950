import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { type AccountShard, accountShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type FoundReceipts, forgetReceipts, readReceipts } from '@tollgate/state/receipts/receipts.ts'
import { type Skipped, type SkipReason, type StoredReceipts, skipReasons } from './store-receipts.ts'

/** Shards that Redis reads at once: few enough that requests of gateways do not wait for it. */
const shardsPerRead = 32
/**
 * Shards that are copied together while there is little to copy. All of them: a transaction for each few would take most of the time
 * of a round, and would leave the log behind the ledger on a busy machine.
 */
const shardsTogether = accountShards.length
/** After a round that left some or failed: replicas divide the shards, and what cannot be stored holds up few others. */
const shardsTogetherInBacklog = 16
/**
 * Entries that are read at once, of all these shards: so a backlog needs the memory of some thousand receipts. A shard that has more
 * than others is read alone, with all of them. An entry has the receipts of requests that were settled together.
 */
const entriesPerRead = 4000
/** Reads of the same shards in one round. One account that floods its shard must not keep the round from the other shards. */
const readsPerRound = 3

/** What one round of copying did. */
export interface CopiedReceipts {
  readonly copied: number
  readonly skipped: Skipped
  /**
   * What was left of shards with more than a round reads. `ours`: the next round should begin at once. `others`: another replica
   * copies them.
   */
  readonly rest: 'none' | 'ours' | 'others'
}

export interface CopyReceiptsOptions {
  readonly redis: RedisLink
  /** Stores receipts. Must allow repetition. */
  readonly store: (receipts: readonly Receipt[], malformed: number) => Promise<StoredReceipts>
  /** The place in the list of shards to begin at. */
  readonly beginAt: number
  /** Whether the round before left some, or failed. */
  readonly hasBacklog: boolean
  /** Checked between steps. The next call copies the rest. */
  readonly signal?: AbortSignal
}

/**
 * Copies the receipts that wait in Redis, and forgets them there once they are stored. After a crash between both, the next
 * call stores them again, which changes nothing. Of a shard with very many, the next call copies the rest.
 *
 * Replicas begin at different shards. So they divide the work when there is much of it: where another one has been, nothing waits. A
 * replica that finds most receipts of a shard stored leaves it to the other one, which is there now: both would only wait for each other.
 *
 * @throws the first failure, after it tried all shards; or the signal's reason
 */
export async function copyReceipts(options: CopyReceiptsOptions): Promise<CopiedReceipts> {
  const { redis, store, beginAt, hasBacklog, signal } = options
  const total = { copied: 0, skipped: { malformed: 0, old: 0, ahead: 0 } satisfies Record<SkipReason, number> }
  const failures: unknown[] = []
  let rest: CopiedReceipts['rest'] = 'none'
  const shards = [...accountShards.slice(beginAt), ...accountShards.slice(0, beginAt)]
  const together = hasBacklog ? shardsTogetherInBacklog : shardsTogether
  for (let from = 0; from < shards.length; from += together) {
    let unread = shards.slice(from, from + together)
    let isOthers = false
    for (let reads = 0; unread.length > 0 && reads < readsPerRound && !isOthers; reads++) {
      signal?.throwIfAborted()
      try {
        const entriesEach = Math.floor(entriesPerRead / unread.length)
        const found = await readAll(redis, unread, entriesEach, failures)
        const receipts = found.flatMap(({ entries }) => entries.flatMap((entry) => entry.receipts))
        const malformed = found.reduce((sum, one) => sum + one.malformed.length, 0)
        if (receipts.length + malformed > 0) {
          const { changed, skipped } = await store(receipts, malformed)
          isOthers = changed < receipts.length / 2
          total.copied += receipts.length
          for (const reason of skipReasons) total.skipped[reason] += skipped[reason]
        }
        await Promise.all(found.map(({ shard, entries }) => forgetEntries(redis, shard, entries)))
        unread = found.filter(({ entries }) => entries.length >= entriesEach).map(({ shard }) => shard)
      } catch (error) {
        failures.push(error)
        unread = []
      }
    }
    if (unread.length > 0 && rest !== 'ours') rest = isOthers ? 'others' : 'ours'
  }
  if (failures.length > 0) throw failures[0]
  return { ...total, rest }
}

type Found = FoundReceipts & { readonly shard: AccountShard }

/** Reads shards. One that cannot be read adds its failure, and keeps out no other. */
async function readAll(
  redis: RedisLink,
  shards: readonly AccountShard[],
  entriesEach: number,
  failures: unknown[]
): Promise<Found[]> {
  const found: Found[] = []
  for (let from = 0; from < shards.length; from += shardsPerRead) {
    const read = await Promise.allSettled(
      shards
        .slice(from, from + shardsPerRead)
        .map(async (shard) => ({ shard, ...(await readReceipts(redis, shard, entriesEach)) }))
    )
    for (const one of read) {
      if (one.status === 'rejected') failures.push(one.reason)
      else if (one.value.entries.length > 0) found.push(one.value)
    }
  }
  return found
}

async function forgetEntries(redis: RedisLink, shard: AccountShard, entries: FoundReceipts['entries']): Promise<void> {
  const last = entries.at(-1)
  if (last !== undefined) await forgetReceipts(redis, shard, last.id)
}
