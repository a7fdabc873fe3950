import { accountShards } from '@tollgate/state/keyspace/names.ts'
import { anyNode, type RedisLink, shardsByNode } from '@tollgate/state/link/redis-link.ts'
import { readHour, type UsageSelection } from '@tollgate/state/usage/usage.ts'
import { type CopyOptions, copyUsage } from './copy-usage.ts'
import type { Ledger } from './ledger.ts'

/**
 * Brings the ledger up to what Redis has counted: what changed, or everything if the database was restored and may lack
 * what had been copied before; and once an hour what is final by then goes from Redis.
 *
 * @param finalUpTo the hour that the last round returned, 0 at first
 * @returns the hour, by the clock of Redis, of which it is known that what was final by then has been stored
 * @throws what Redis or the ledger fails with, or the signal's reason; nothing is lost then
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

/** Process by process. @throws the first failure, after the others have been served */
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
