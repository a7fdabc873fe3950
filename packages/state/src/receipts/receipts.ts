import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { type AccountShard, accountShards, droppedReceiptsName, receiptsName } from '../keyspace/names.ts'
import { callForShard } from '../link/call-script.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { bulk, utf8 } from '../wire/packed.ts'
import { createReceiptReader } from './receipt-text.ts'

/** Receipts that were written together. */
export interface ReceiptEntry {
  /** The place in the stream of the shard: see append.lua. */
  readonly id: string
  readonly receipts: readonly Receipt[]
}

export interface FoundReceipts {
  /** The oldest first. An entry without any valid receipt is here, too, so that it can be forgotten. */
  readonly entries: readonly ReceiptEntry[]
  /** Texts that are no receipts, with the id of their entry and the reason. */
  readonly malformed: ReadonlyArray<{ readonly id: string; readonly reason: string }>
}

/**
 * Reads the oldest receipts of a shard. They stay until {@link forgetReceipts}. Any number of readers may read the same
 * ones.
 *
 * @param count maximum number of entries; each has at most some dozens of receipts
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readReceipts(link: RedisLink, shard: AccountShard, count: number): Promise<FoundReceipts> {
  const node = link.nodeOf(shard)
  node.run()
  const malformed: Array<{ id: string; reason: string }> = []
  const entries = (await node.client.xrange(receiptsName(shard), '-', '+', 'COUNT', count)).map(([id, fields]) => {
    const receipts: Receipt[] = []
    const read = createReceiptReader()
    for (const text of (fields[1] ?? '').split('\n')) {
      try {
        receipts.push(read(text))
      } catch (error) {
        malformed.push({ id, reason: (error as Error).message })
      }
    }
    return { id, receipts }
  })
  return { entries, malformed }
}

/**
 * Forgets the receipts of a shard up to an entry. It may be repeated, and other readers may have forgotten more.
 *
 * @param upToId the id of the last entry to forget
 * @throws RedisAwayError, or ioredis' error if no answer comes in time: they may be forgotten then
 */
export async function forgetReceipts(link: RedisLink, shard: AccountShard, upToId: string): Promise<void> {
  const node = link.nodeOf(shard)
  node.run()
  const [bytes, number] = upToId.split('-')
  await node.client.xtrim(receiptsName(shard), 'MINID', `${bytes}-${Number(number) + 1}`)
}

/**
 * Counts the receipts that were dropped because nobody copied them in time, since Redis has its data.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function droppedReceipts(link: RedisLink): Promise<number> {
  const counts = await executeAll(
    link,
    accountShards,
    (shard) => shard,
    (pipeline, shard) => pipeline.get(droppedReceiptsName(shard))
  )
  return counts.reduce<number>((sum, count) => sum + Number(count ?? 0), 0)
}

/**
 * Adds receipts of requests that were not admitted. (The scripts that charge requests add theirs.)
 *
 * @param texts of accounts of the shard
 * @param shardBytes memory for the receipts of a shard: the oldest are dropped above it
 * @throws RedisAwayError if nothing was sent, or Redis refused it; else ioredis' error: then they may be added
 */
export async function noteReceipts(
  link: RedisLink,
  shard: AccountShard,
  texts: readonly string[],
  shardBytes: number
): Promise<void> {
  const rest = bulk(String(shardBytes)) + bulk(utf8(texts.join('\n')))
  const keys = bulk(receiptsName(shard))
  await callForShard(link, shard, 'tgNoteReceipts', { keyCount: 1, keys, argumentCount: 2, rest })
}
