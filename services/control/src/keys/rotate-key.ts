import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { digestSecret, displayPrefix } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { formerSecrets, keys } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import { findMade, rememberMade } from './idempotency.ts'
import { assertMayChangeKeys, countKeyChange } from './key-changes.ts'
import type { ByWhom, StoredKey } from './store-key.ts'

export type Rotation = {
  readonly accountId: string
  readonly id: string
  /** The new one, of the key's scope. Only its digest is stored. */
  readonly secret: string
  /** How long the old one works on. One that was in its own grace until now ends at once. */
  readonly graceSeconds: number
  /** When the grace begins, from {@link judgingTime}: the clock that ends it must have begun it. */
  readonly graceFrom: Date
  readonly idempotency: string | null
}

/**
 * Gives a key another secret.
 *
 * @throws ServiceError `not_found`, also for a key that is revoked; `too_many_requests`
 */
export async function rotateKey(orm: Orm, catalog: Catalog, rotation: Rotation, by: ByWhom): Promise<StoredKey> {
  const { accountId, id, secret, graceSeconds, graceFrom, idempotency } = rotation
  const digest = digestSecret(secret)
  const shard = accountShard(accountId)
  const until = new Date(graceFrom.getTime() + graceSeconds * 1000)
  if (idempotency === null) await assertMayChangeKeys(orm, catalog, accountId)
  return await orm.transaction(async (tx) => {
    // Twice: only while other changes wait is it certain which secret the key has, and so which shards this one touches.
    await recordChange(tx, [shard])
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
        version
      })
      .where(eq(keys.id, id))
    if (idempotency !== null) await rememberMade(tx, accountId, idempotency, id, by.at)
    const detail = { label: key.label, grace_seconds: graceSeconds, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.rotated', subject: id, detail })
    return { id, isNew: true }
  })
}
