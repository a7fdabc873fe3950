import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { CreateKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { digestSecret, displayPrefix, type KeyScope } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { refuseWaiting } from '../accounts/suspensions.ts'
import { type By, recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { newKeyId } from '../database/key-id.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { recordKeyCreated } from '../events/record-event.ts'
import { recordChange } from '../projection/record-change.ts'
import { assertKeyQuota } from './assert-key-quota.ts'
import { findMade, rememberMade } from './idempotency.ts'
import { readKeyTerms } from './key-terms.ts'
import { mayCreateByServer } from './partner-api.ts'

/** Who changes a key, and further details for the audit log. */
export type ByWhom = By & { readonly detail: Readonly<Record<string, string>> }

export interface NewKey {
  readonly accountId: string
  readonly scope: KeyScope
  /** A secret of that scope. Only its digest is stored. */
  readonly secret: string
  readonly asked: CreateKeyRequest
  /** From {@link idempotencyHash}, or null. */
  readonly idempotency: string | null
}

export interface StoredKey {
  readonly id: string
  /** False if an earlier request with the same `Idempotency-Key` created the key, with another secret. */
  readonly isNew: boolean
}

/**
 * Stores a new key if the account's limits allow it.
 *
 * @throws ServiceError `account_suspended` (it waits for approval), `partner_api_not_allowed`, `key_quota_exceeded`, `too_many_requests`, or `invalid_request` naming a term that the plan does not allow
 */
export async function storeKey(orm: Orm, catalog: Catalog, key: NewKey, by: ByWhom): Promise<StoredKey> {
  const { accountId, scope, secret, asked, idempotency } = key
  const digest = digestSecret(secret)
  const shards = { accountShard: accountShard(accountId), secretShard: secretShard(digest) }

  /** Checks the limits. The result is final only under the lock of changes. */
  async function checkLimits(db: Orm): Promise<{ made: string } | { terms: ReturnType<typeof readKeyTerms> }> {
    const made = idempotency === null ? null : await findMade(db, accountId, idempotency, by.at)
    if (made !== null) return { made }
    const [account] = await db
      .select({
        id: accounts.id,
        planInForce: accounts.planInForce,
        overrideLimits: accounts.overrideLimits,
        suspensions: accounts.suspensions
      })
      .from(accounts)
      .where(eq(accounts.id, accountId))
    if (account === undefined) throw new Error(`account ${accountId} does not exist`)
    refuseWaiting(account.suspensions)
    const isForServer = scope === 'management' || by.detail.by_key !== undefined
    if (isForServer && !mayCreateByServer(catalog, account.planInForce)) {
      throw new ServiceError('partner_api_not_allowed')
    }
    const terms = readKeyTerms(asked, catalog, account.planInForce, by.at)
    await assertKeyQuota(db, catalog, account, { scope }, by.at)
    await assertMayChangeKeys(db, catalog, accountId)
    return { terms }
  }

  // Most refusals need no lock. A request with an `Idempotency-Key` may repeat the request that took the last place of the
  // quota, so it is only checked under the lock.
  if (idempotency === null) await checkLimits(orm)
  const id = newKeyId()
  return await orm.transaction(async (tx) => {
    const version = await recordChange(tx, [shards.accountShard, shards.secretShard])
    const found = await checkLimits(tx)
    if ('made' in found) return { id: found.made, isNew: false }
    await countKeyChange(tx, catalog, accountId)
    const [stored] = await tx
      .insert(keys)
      .values({
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
      .returning()
    if (idempotency !== null) await rememberMade(tx, accountId, idempotency, id, by.at)
    const detail = { label: asked.label, scope, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.created', subject: id, detail })
    await recordKeyCreated(tx, stored!, by.at)
    return { id, isNew: true }
  })
}
