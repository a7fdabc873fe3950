import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, type SQL } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { isTokenId } from '../database/key-id.ts'
import { keys } from '../database/schema/keys.ts'
import { recordKeysRevoked } from '../events/record-event.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'

export interface RevokedKey {
  readonly id: string
  readonly accountId: string
  readonly label: string
}

/**
 * Revokes the live keys of an account in the database, and records an event for each. Other changes wait until the transaction ends.
 * Tokens of playgrounds are revoked too; nobody is told of them.
 *
 * @param which a condition; by default, all keys are revoked
 * @returns the revoked keys, without tokens of playgrounds
 */
export async function revokeKeys(tx: Transaction, accountId: string, now: Date, which?: SQL): Promise<RevokedKey[]> {
  const isLive = and(eq(keys.accountId, accountId), eq(keys.status, 'active'), which)
  const shard = accountShard(accountId)
  await lockChanges(tx)
  const live = await tx.select({ digest: keys.digest }).from(keys).where(isLive)
  const version = await recordChange(tx, [shard, ...live.map(({ digest }) => secretShard(digest))])
  const revoked = await tx
    .update(keys)
    .set({ status: 'revoked', revokedAt: now, version })
    .where(isLive)
    .returning({
      ...{ id: keys.id, accountId: keys.accountId, label: keys.label, scope: keys.scope, metadata: keys.metadata }
    })
  const ofPeople = revoked.filter(({ id }) => !isTokenId(id))
  await recordKeysRevoked(tx, ofPeople, now)
  return ofPeople
}
