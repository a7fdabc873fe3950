import { type AccountShard, monthNumber, type Shard } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { openSpends, seedSpend } from '@tollgate/state/spend/spend.ts'
import type { Ledger } from '../usage/ledger.ts'
import { copyUsage } from '../usage/usage-copier.ts'

/** Attempts per page: settlements meanwhile can change the spend of an account that Redis has lost. */
const maxAttempts = 10

/**
 * Restores this month's spend in shards that may have lost some of it, before they are verified. Then the spend of an
 * account is never below the ledger, nor below what this Redis has counted:
 *
 * - The ledger is read after the claim. If Redis loses these writes, it loses the claim too, and the shard is not
 *   verified.
 * - All usage in this Redis is copied before the ledger is read. After a restore from a dump, each side may have usage
 *   that the other lacks. Another replica removes usage from Redis only after the ledger has it.
 * - Later settlements add to the spend, and reach the ledger in time. So the larger of both values is right if the
 *   spend has not changed since before the copying; else all of it is repeated. If the ledger has no more than Redis,
 *   as after a restart without loss, nothing is written.
 * - A missing spend is created before it is read: without it, settlements would add to nothing.
 *
 * No request is admitted in the shards meanwhile.
 *
 * @param now for the month. If an account is already in a later month, the shard is not verified, and the next pass
 *   tries again
 * @throws Error then; RedisAwayError if another process answers; the error of the ledger or Redis
 */
export async function seedShards(
  ledger: Ledger,
  redis: RedisLink,
  shards: readonly AccountShard[],
  run: string,
  now: Date,
  signal: AbortSignal
): Promise<void> {
  for await (const accounts of ledger.accountsOf(shards)) {
    let left = accounts
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === maxAttempts) throw new Error('the spend of an account changes too fast to restore it')
      signal.throwIfAborted()
      assertRunId(redis, shards, run)
      const seen = await openSpends(redis, left, monthNumber(now))
      await copyUsage(ledger, redis, 'changed', { shards, signal })
      const spends = await ledger.spendOf(left, now)
      assertRunId(redis, shards, run)
      const outcomes = spends.length === 0 ? [] : await seedSpend(redis, spends, seen)
      if (outcomes.includes('another month')) throw new Error('an account is already in a later month')
      left = spends.filter((_spend, index) => outcomes[index] === 'changed').map(({ account }) => account)
    }
  }
}

/** @throws RedisAwayError if a shard is at a Redis process with another run id, or at none */
export function assertRunId(redis: RedisLink, shards: readonly Shard[], run: string): void {
  for (const shard of shards) if (redis.nodeOf(shard).run() !== run) throw new RedisAwayError()
}
