import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { digestSecret, displayPrefix } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/contracts/keyspace/names.ts'
import { and, eq, gt, isNull, or } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts, keys } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import { newKeyId } from './key-id.ts'
import { keyQuota, mayAddKey } from './key-quota.ts'

export type NewKey = {
  readonly accountId: string
  /** Id of the user who makes it. */
  readonly createdBy: string
  readonly label: string
  /** An inference secret. Only its digest is stored. */
  readonly secret: string
}

/**
 * Stores a key for model calls, if the account's plan allows one more.
 *
 * @returns the key's id
 * @throws ServiceError `key_quota_exceeded`
 */
export async function storeKey(orm: Orm, catalog: Catalog, key: NewKey, now: Date): Promise<string> {
  // Refuses most of what must be refused without keeping other changes waiting.
  await insistOnQuota(orm, catalog, key.accountId, now)
  const { accountId, createdBy, label, secret } = key
  const digest = digestSecret(secret)
  const id = newKeyId()
  const shards = { accountShard: accountShard(accountId), secretShard: secretShard(digest) }
  await orm.transaction(async (tx) => {
    const version = await recordChange(tx, [shards.accountShard, shards.secretShard])
    // Changes are made one after the other, so this count is still true when the key is stored.
    await insistOnQuota(tx, catalog, accountId, now)
    await tx.insert(keys).values({
      id,
      accountId,
      createdBy,
      label,
      scope: 'inference',
      prefix: displayPrefix(secret),
      digest,
      status: 'active',
      ...shards,
      version,
      createdAt: now
    })
  })
  return id
}

async function insistOnQuota(orm: Orm, catalog: Catalog, accountId: string, now: Date): Promise<void> {
  const [account] = await orm.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, accountId))
  if (account === undefined) throw new Error(`there is no account ${accountId}`)
  if (keyQuota(catalog, account.plan) === Number.POSITIVE_INFINITY) return
  const live = await orm.$count(
    keys,
    and(
      eq(keys.accountId, accountId),
      eq(keys.scope, 'inference'),
      eq(keys.status, 'active'),
      or(isNull(keys.expiresAt), gt(keys.expiresAt, now))
    )
  )
  if (!mayAddKey(catalog, account.plan, live)) throw new ServiceError('key_quota_exceeded')
}
