import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import type { ByWhom } from './store-key.ts'

/**
 * Ends the grace of a rotation in the database: the old secret of the key no longer works. Without a grace, nothing changes.
 *
 * @returns whether the account has such an active key
 */
export async function endGrace(
  orm: Orm,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  by: ByWhom
): Promise<boolean> {
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const [key] = await tx
      .select({ digest: keys.digest, label: keys.label, previousDigest: keys.previousDigest })
      .from(keys)
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (key === undefined) return false
    // A repeated call changes nothing.
    if (key.previousDigest === null) return true
    const version = await recordChange(tx, [accountShard(accountId), secretShard(key.digest)])
    await tx.update(keys).set({ previousDigest: null, previousUntil: null, version }).where(eq(keys.id, id))
    const detail = { label: key.label, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.grace_ended', subject: id, detail })
    return true
  })
}
