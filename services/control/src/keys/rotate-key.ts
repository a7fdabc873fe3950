import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { digestSecret, displayPrefix } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { recordKeyRotated } from '../events/record-event.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { findMade, rememberMade } from './idempotency.ts'
import { cutDetail } from './revoke-key.ts'
import type { ByWhom, StoredKey } from './store-key.ts'

export interface Rotation {
  readonly accountId: string
  readonly id: string
  /** The new secret, of the key's scope. Only its digest is stored. */
  readonly secret: string
  /** How long the old secret still works. An even older secret in its grace stops at once. */
  readonly graceSeconds: number
  /** When the grace begins, from {@link judgingTime}: the same clock decides when it ends. */
  readonly graceFrom: Date
  /** Whether open requests with the old secret end, too. */
  readonly cutStreams: boolean
  readonly idempotency: string | null
}

/**
 * Replaces the secret of a key.
 *
 * @throws ServiceError `not_found`, also for a revoked key; `too_many_requests`
 */
export async function rotateKey(orm: Orm, catalog: Catalog, rotation: Rotation, by: ByWhom): Promise<StoredKey> {
  const { accountId, id, secret, graceSeconds, graceFrom, cutStreams, idempotency } = rotation
  const digest = digestSecret(secret)
  const shard = accountShard(accountId)
  const until = new Date(graceFrom.getTime() + graceSeconds * 1000)
  if (idempotency === null) await assertMayChangeKeys(orm, catalog, accountId)
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const made = idempotency === null ? null : await findMade(tx, accountId, idempotency, by.at)
    if (made !== null) return { id: made, isNew: false }
    const [key] = await tx
      .select()
      .from(keys)
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (key === undefined) throw new ServiceError('not_found')
    await countKeyChange(tx, catalog, accountId)
    const version = await recordChange(tx, [shard, secretShard(key.digest), secretShard(digest)])
    await tx.insert(formerSecrets).values({
      digest: key.digest,
      keyId: id,
      accountId,
      scope: key.scope,
      secretShard: key.secretShard,
      version,
      diesAt: until
    })
    await tx
      .update(keys)
      .set({
        digest,
        secretShard: secretShard(digest),
        prefix: displayPrefix(secret),
        previousDigest: graceSeconds > 0 ? key.digest : null,
        previousUntil: graceSeconds > 0 ? until : null,
        cutStreams,
        version
      })
      .where(eq(keys.id, id))
    if (idempotency !== null) await rememberMade(tx, accountId, idempotency, id, by.at)
    const detail = { label: key.label, grace_seconds: graceSeconds, ...cutDetail(cutStreams), ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.rotated', subject: id, detail })
    await recordKeyRotated(tx, key, graceSeconds > 0 ? until : null, by.at)
    return { id, isNew: true }
  })
}
