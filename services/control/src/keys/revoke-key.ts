import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { recordKeysRevoked } from '../events/record-event.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import type { ByWhom } from './store-key.ts'

export interface Revocation {
  readonly accountId: string
  readonly id: string
  /** Whether open requests with the key end, too. */
  readonly cutStreams: boolean
}

/**
 * Revokes a key in the database. An already revoked key does not change, except that its open requests may end now.
 *
 * @returns whether the account has such a key
 */
export async function revokeKey(orm: Orm, revocation: Revocation, by: ByWhom): Promise<boolean> {
  const { cutStreams } = revocation
  const [seen] = await orm
    .select({ status: keys.status, cutStreams: keys.cutStreams })
    .from(keys)
    .where(isKey(revocation))
  if (seen === undefined) return false
  if (seen.status === 'active' || (cutStreams && !seen.cutStreams)) {
    await orm.transaction(async (tx) => {
      if (!(await revokeActiveKey(tx, revocation, by)) && cutStreams) await cutRevokedKey(tx, revocation, by)
    })
  }
  return true
}

/**
 * Revokes a key that was just read as active.
 *
 * @returns false if another call has revoked it since; the time of that call stays
 */
export async function revokeActiveKey(tx: Transaction, revocation: Revocation, by: ByWhom): Promise<boolean> {
  const { accountId, id, cutStreams } = revocation
  const version = await recordChangeOf(tx, revocation)
  const [revoked] = await tx
    .update(keys)
    .set({ status: 'revoked', revokedAt: by.at, cutStreams, version })
    .where(and(isKey(revocation), eq(keys.status, 'active')))
    .returning()
  if (revoked === undefined) return false
  const detail = { label: revoked.label, ...cutDetail(cutStreams), ...by.detail }
  await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
  await recordKeysRevoked(tx, [revoked], by.at, by.note)
  return true
}

/** Ends the open requests of a key that is already revoked, unless another call has done so. */
async function cutRevokedKey(tx: Transaction, revocation: Revocation, by: ByWhom): Promise<void> {
  const { accountId, id } = revocation
  const version = await recordChangeOf(tx, revocation)
  const [cut] = await tx
    .update(keys)
    .set({ cutStreams: true, version })
    .where(and(isKey(revocation), eq(keys.cutStreams, false)))
    .returning({ label: keys.label })
  if (cut === undefined) return
  const detail = { label: cut.label, ...cutDetail(true), ...by.detail }
  await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
}

async function recordChangeOf(tx: Transaction, revocation: Revocation): Promise<number> {
  await lockChanges(tx)
  const [key] = await tx.select({ digest: keys.digest }).from(keys).where(isKey(revocation))
  return await recordChange(tx, [accountShard(revocation.accountId), secretShard(key!.digest)])
}

/** The part of an audit entry that says whether open requests end. */
export const cutDetail = (cutStreams: boolean): { cut_streams?: true } => (cutStreams ? { cut_streams: true } : {})

const isKey = ({ accountId, id }: Pick<Revocation, 'accountId' | 'id'>) =>
  and(eq(keys.id, id), eq(keys.accountId, accountId))
