import { accountShards } from '@tollgate/state/keyspace/names.ts'
import { anyNode, type RedisLink, shardsByNode } from '@tollgate/state/link/redis-link.ts'
import { readHour, type UsageSelection } from '@tollgate/state/usage/usage.ts'
import { type CopyOptions, copyUsage } from './copy-usage.ts'
import type { Ledger } from './ledger.ts'

/**
 * Copies usage from Redis to the ledger: changed rows, or all rows after the database was restored, since it may lack
 * earlier copies. Once an hour, also stores final rows and removes them from Redis.
 *
 * @param finalUpTo the hour that the last round returned, 0 at first
 * @returns the present hour of Redis' clock; all rows that were final by then are stored
 * @throws the error of Redis or the ledger, or the signal's reason; nothing is lost then
 */
export async function copyRound(
  ledger: Ledger,
  redis: RedisLink,
  finalUpTo: number,
  options: CopyOptions
): Promise<number> {
  const epoch = await ledger.uncopiedEpoch()
  if (epoch === null) await copyEverywhere(ledger, redis, 'changed', options)
  else {
    await copyEverywhere(ledger, redis, 'all', options)
    await ledger.noteCopied(epoch)
  }
  const hour = await readHour(anyNode(redis))
  if (hour !== finalUpTo) await copyEverywhere(ledger, redis, 'final', options)
  return hour
}

/** Copies usage from one Redis process after the other. @throws the first failure, after trying all processes */
async function copyEverywhere(
  ledger: Ledger,
  redis: RedisLink,
  selection: UsageSelection,
  { shards = accountShards, ...options }: CopyOptions
): Promise<void> {
  const failures: unknown[] = []
  for (const together of shardsByNode(redis, shards)) {
    try {
      await copyUsage(ledger, redis, selection, { ...options, shards: together })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
