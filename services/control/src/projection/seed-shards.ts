import { monthNumber } from '@tollgate/state/keyspace/month.ts'
import type { AccountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { openSpends, seedSpend } from '@tollgate/state/spend/spend.ts'
import { copyUsage } from '../usage/copy-usage.ts'
import type { Ledger } from '../usage/ledger.ts'
import { insistOnRun } from './insist-on-run.ts'

/** Requests that are settled meanwhile can be in the way, of an account of which Redis has lost what it spent. */
const maxAttempts = 10

/**
 * Brings what has been spent this month into shards that may have lost some of it, before they are verified. From then on no
 * account has spent less than the ledger has, nor less than this Redis has counted:
 *
 * - The ledger is read after the claim, so all is in it that it had then. Should what is written here be lost again, the
 *   claim is lost too, and nothing is vouched for.
 * - All usage that this Redis holds is copied before the ledger is read. It may have come back with a dump, whose spend
 *   lacks what the ledger has, and which has what the ledger lacks: then neither side alone holds all. What another
 *   replica has removed from the list of what is to be copied is in the ledger: it is removed only after the commit.
 * - What is settled later is added to the spend, and reaches the ledger in time. So the larger of both is right if the
 *   spend is still the one that was read before the copying began; else that is done again. Where the ledger has no more
 *   than Redis, as after a restart that lost nothing, there is nothing to add to.
 * - Before the spend is read, it is made where it is missing: without one, what is settled would be added nowhere.
 *
 * Nothing is admitted in the shards meanwhile.
 *
 * @param now for the month. If an account is in a later one already, nothing is vouched for, and the next pass tries again
 * @throws Error then; RedisAwayError if the process is not the same any more; whatever ledger and Redis throw
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
      if (attempt === maxAttempts) throw new Error('what was spent changes too fast to be seeded')
      signal.throwIfAborted()
      insistOnRun(redis, shards, run)
      const seen = await openSpends(redis, left, monthNumber(now))
      await copyUsage(ledger, redis, 'changed', { shards, signal })
      const spends = await ledger.spendOf(left, now)
      insistOnRun(redis, shards, run)
      const outcomes = spends.length === 0 ? [] : await seedSpend(redis, spends, seen)
      if (outcomes.includes('another month')) throw new Error('an account is in a later month already')
      left = spends.filter((_spend, index) => outcomes[index] === 'changed').map(({ account }) => account)
    }
  }
}
