import { accountShard } from '@tollgate/contracts/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'

/**
 * Makes sure that a user has a personal account, with the id of the user, on the given plan.
 *
 * The caller has locked the user's row. Locks are taken in the order user, change, account: see `recordChange`.
 *
 * @param plan one of the catalog's
 * @returns whether anything changed and the projector should hear of it after the commit
 */
export async function ensurePersonalAccount(
  tx: Transaction,
  userId: string,
  plan: string,
  now: Date
): Promise<boolean> {
  // Most calls change nothing, and so need not wait for other changes.
  const [account] = await tx.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, userId))
  if (account?.plan === plan) return false
  const shard = accountShard(userId)
  const version = await recordChange(tx, [shard])
  await tx
    .insert(accounts)
    .values({ id: userId, ownerId: userId, plan, status: 'active', shard, version, createdAt: now })
    .onConflictDoUpdate({ target: accounts.id, set: { plan, version } })
  return true
}
