import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import type { ByWhom } from './store-key.ts'

/**
 * Revokes a key in the database. An already revoked key does not change.
 *
 * @returns whether the account has such a key
 */
export async function revokeKey(orm: Orm, accountId: string, id: string, by: ByWhom): Promise<boolean> {
  const isTheKey = and(eq(keys.id, id), eq(keys.accountId, accountId))
  const [seen] = await orm.select({ status: keys.status }).from(keys).where(isTheKey)
  if (seen === undefined) return false
  if (seen.status === 'revoked') return true
  const shard = accountShard(accountId)
  await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const [key] = await tx.select({ digest: keys.digest }).from(keys).where(isTheKey)
    const version = await recordChange(tx, [shard, secretShard(key!.digest)])
    // Another call may have revoked it since: that time stays.
    const revoked = await tx
      .update(keys)
      .set({ status: 'revoked', revokedAt: by.at, version })
      .where(and(isTheKey, eq(keys.status, 'active')))
      .returning({ label: keys.label })
    for (const { label } of revoked) {
      const detail = { label, ...by.detail }
      await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
    }
  })
  return true
}
