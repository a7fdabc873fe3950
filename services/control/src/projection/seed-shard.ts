import type { AccountShard } from '@tollgate/contracts/keyspace/names.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { seedSpend } from '@tollgate/contracts/redis/spend.ts'
import { copyUsage } from '../usage/copy-usage.ts'
import type { Ledger } from '../usage/ledger.ts'
import { insistOnRun } from './insist-on-run.ts'

/**
 * Brings what has been spent this month into a shard that may have lost some of it, before the shard is vouched for.
 * Afterwards every account has spent at least what the ledger had when the shard was claimed, and at least what Redis
 * itself knew.
 *
 * - The ledger is read after the claim, so all is in it that it had then. Should what is written be lost again, the claim
 *   is lost too, and nothing is vouched for.
 * - Before it is read, the usage in this Redis that was not copied is. It may have come back from a dump, whose spend is
 *   behind the ledger's: then neither the larger of both nor any of them holds all. And it may have been settled since the
 *   process began, before the account had a spend to which it could be added. An entry that another replica has removed
 *   from the list of what is to be copied is in the ledger: it is removed only after the commit.
 * - Nothing is admitted in the shard meanwhile. What is settled between the copying and the seeding was held in the state
 *   that was lost, and is part of what may be spent too much then; it is in the ledger a moment later like anything else.
 *
 * @param now for the month. If by the clock of Redis it is another, nothing is vouched for, and the next pass tries again
 * @throws Error then; RedisAwayError if the process is not the same any more; whatever ledger and Redis throw
 */
export async function seedShard(
  ledger: Ledger,
  redis: RedisLink,
  shard: AccountShard,
  run: string,
  now: Date,
  signal: AbortSignal
): Promise<void> {
  await copyUsage(ledger, redis, 'changed', { shards: [shard], signal })
  for await (const spends of ledger.spendOf(shard, now)) {
    signal.throwIfAborted()
    insistOnRun(redis, run)
    if (!(await seedSpend(redis, spends))) throw new Error('by the clock of Redis it is another month')
  }
}
