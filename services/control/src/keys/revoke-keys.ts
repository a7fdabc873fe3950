import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, type SQL } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { keys } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'

export type RevokedKey = { readonly id: string; readonly accountId: string; readonly label: string }

/**
 * Revokes the live keys of an account, in the database. Other changes wait until the transaction ends.
 *
 * @param which of them; all without it
 */
export async function revokeKeys(tx: Transaction, accountId: string, now: Date, which?: SQL): Promise<RevokedKey[]> {
  const isLive = and(eq(keys.accountId, accountId), eq(keys.status, 'active'), which)
  const shard = accountShard(accountId)
  // Twice: only while other changes wait is it certain which keys there are, and so which shards this one touches.
  await recordChange(tx, [shard])
  const live = await tx.select({ digest: keys.digest }).from(keys).where(isLive)
  const version = await recordChange(tx, [shard, ...live.map(({ digest }) => secretShard(digest))])
  return tx
    .update(keys)
    .set({ status: 'revoked', revokedAt: now, version })
    .where(isLive)
    .returning({ id: keys.id, accountId: keys.accountId, label: keys.label })
}
