import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import type { ByWhom } from './store-key.ts'

/**
 * Revokes a key in the database. An already revoked key does not change.
 *
 * @returns whether the account has such a key
 */
export async function revokeKey(orm: Orm, accountId: string, id: string, by: ByWhom): Promise<boolean> {
  const [seen] = await orm.select({ status: keys.status }).from(keys).where(isKey(accountId, id))
  if (seen === undefined) return false
  if (seen.status === 'active') await orm.transaction((tx) => revokeActiveKey(tx, accountId, id, by))
  return true
}

/**
 * Revokes a key that was just read as active.
 *
 * @returns false if another call has revoked it since; the time of that call stays
 */
export async function revokeActiveKey(tx: Transaction, accountId: string, id: string, by: ByWhom): Promise<boolean> {
  const isTheKey = isKey(accountId, id)
  await lockChanges(tx)
  const [key] = await tx.select({ digest: keys.digest }).from(keys).where(isTheKey)
  const version = await recordChange(tx, [accountShard(accountId), secretShard(key!.digest)])
  const [revoked] = await tx
    .update(keys)
    .set({ status: 'revoked', revokedAt: by.at, version })
    .where(and(isTheKey, eq(keys.status, 'active')))
    .returning({ label: keys.label })
  if (revoked === undefined) return false
  const detail = { label: revoked.label, ...by.detail }
  await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
  return true
}

const isKey = (accountId: string, id: string) => and(eq(keys.id, id), eq(keys.accountId, accountId))
