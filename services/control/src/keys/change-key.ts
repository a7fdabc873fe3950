import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { accounts, keys } from '../database/schema.ts'
import { recordChange } from '../projection/change.ts'
import { insistOnQuota } from './insist-on-quota.ts'
import { assertMayChangeKeys, countKeyChange } from './key-changes.ts'
import { readKeyTerms } from './key-terms.ts'
import type { ByWhom } from './store-key.ts'

/**
 * Changes the terms of a key.
 *
 * @throws ServiceError `not_found`, also for a key that is revoked; `invalid_request` naming a field; `key_quota_exceeded`
 *   if an expired key would live again beside as many as the account may have; `too_many_requests`
 */
export async function changeKey(
  orm: Orm,
  catalog: Catalog,
  key: { readonly accountId: string; readonly id: string; readonly asked: ChangeKeyRequest },
  by: ByWhom
): Promise<typeof keys.$inferSelect> {
  const { accountId, id, asked } = key
  await assertMayChangeKeys(orm, catalog, accountId)
  return await orm.transaction(async (tx) => {
    // Twice: only while other changes wait is it certain which secret the key has, and so which shards this one touches.
    await recordChange(tx, [accountShard(accountId)])
    const [found] = await tx
      .select({ key: keys, plan: accounts.plan })
      .from(keys)
      .innerJoin(accounts, eq(accounts.id, keys.accountId))
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (found === undefined) throw new ServiceError('not_found')
    const terms = readKeyTerms(asked, catalog, found.plan, by.at)
    // A key that ends may have made room for another by now, however long this change had to wait for its turn.
    if (found.key.expiresAt !== null && terms.expiresAt !== undefined) {
      const account = { id: accountId, plan: found.plan }
      await insistOnQuota(tx, catalog, account, { scope: found.key.scope, besides: id }, by.at)
    }
    await countKeyChange(tx, catalog, accountId)
    const version = await recordChange(tx, [accountShard(accountId), secretShard(found.key.digest)])
    const [row] = await tx
      .update(keys)
      .set({ ...terms, version })
      .where(eq(keys.id, id))
      .returning()
    const detail = { label: row!.label, changed: Object.keys(asked).sort().join(', '), ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.updated', subject: id, detail })
    return row!
  })
}
