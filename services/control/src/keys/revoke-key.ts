import { accountShard, secretShard } from '@tollgate/contracts/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'

/**
 * Revokes a key in the database; one that is revoked already stays as it is.
 *
 * @returns whether the account has such a key
 */
export async function revokeKey(orm: Orm, accountId: string, id: string, now: Date): Promise<boolean> {
  const isTheKey = and(eq(keys.id, id), eq(keys.accountId, accountId))
  const [key] = await orm.select({ status: keys.status, digest: keys.digest }).from(keys).where(isTheKey)
  if (key === undefined) return false
  if (key.status === 'revoked') return true
  await orm.transaction(async (tx) => {
    const version = await recordChange(tx, [accountShard(accountId), secretShard(key.digest)])
    // Somebody else may have revoked it meanwhile: the first time counts.
    await tx
      .update(keys)
      .set({ status: 'revoked', revokedAt: now, version })
      .where(and(isTheKey, eq(keys.status, 'active')))
  })
  return true
}
