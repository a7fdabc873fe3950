import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { CreateKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { digestSecret, displayPrefix, type KeyScope } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import type { By } from '../accounts/suspend-account.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { accounts, keys } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import { findMade, rememberMade } from './idempotency.ts'
import { insistOnQuota } from './insist-on-quota.ts'
import { assertMayChangeKeys, countKeyChange } from './key-changes.ts'
import { newKeyId } from './key-id.ts'
import { readKeyTerms } from './key-terms.ts'

/** Who makes a change to a key, and what the audit log says besides. */
export type ByWhom = By & { readonly detail: Readonly<Record<string, string>> }

export type NewKey = {
  readonly accountId: string
  readonly scope: KeyScope
  /** Of that scope. Only its digest is stored. */
  readonly secret: string
  readonly asked: CreateKeyRequest
  /** From {@link idempotencyHash}, or null. */
  readonly idempotency: string | null
}

/** `isNew` is false if an earlier request with the same `Idempotency-Key` made the key: its secret is another one. */
export type StoredKey = { readonly id: string; readonly isNew: boolean }

/**
 * Stores a key, if the account may have one more.
 *
 * @throws ServiceError `key_quota_exceeded`, `too_many_requests`, or `invalid_request` naming what of the terms the plan does not allow
 */
export async function storeKey(orm: Orm, catalog: Catalog, key: NewKey, by: ByWhom): Promise<StoredKey> {
  const { accountId, scope, secret, asked, idempotency } = key
  const digest = digestSecret(secret)
  const shards = { accountShard: accountShard(accountId), secretShard: secretShard(digest) }

  /** Decides on what it finds: for good only while other changes wait. */
  async function judge(db: Orm): Promise<{ made: string } | { terms: ReturnType<typeof readKeyTerms> }> {
    const made = idempotency === null ? null : await findMade(db, accountId, idempotency, by.at)
    if (made !== null) return { made }
    const [account] = await db
      .select({ id: accounts.id, plan: accounts.plan })
      .from(accounts)
      .where(eq(accounts.id, accountId))
    if (account === undefined) throw new Error(`there is no account ${accountId}`)
    const terms = readKeyTerms(asked, catalog, account.plan, by.at)
    await insistOnQuota(db, catalog, account, { scope }, by.at)
    await assertMayChangeKeys(db, catalog, accountId)
    return { terms }
  }

  // Refuses most of what must be refused without keeping other changes waiting. Of a request that may be a repeated one
  // that cannot be said yet: the first may have taken the last place just now.
  if (idempotency === null) await judge(orm)
  const id = newKeyId()
  return await orm.transaction(async (tx) => {
    const version = await recordChange(tx, [shards.accountShard, shards.secretShard])
    const found = await judge(tx)
    if ('made' in found) return { id: found.made, isNew: false }
    await countKeyChange(tx, catalog, accountId)
    await tx.insert(keys).values({
      id,
      accountId,
      createdBy: by.actorId,
      ...found.terms,
      label: asked.label,
      scope,
      prefix: displayPrefix(secret),
      digest,
      status: 'active',
      ...shards,
      version,
      createdAt: by.at
    })
    if (idempotency !== null) await rememberMade(tx, accountId, idempotency, id, by.at)
    const detail = { label: asked.label, scope, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.created', subject: id, detail })
    return { id, isNew: true }
  })
}
