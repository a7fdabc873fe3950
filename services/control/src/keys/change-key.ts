import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { toUsd } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { noteBudget } from '../notices/spend-checks.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { endByChange } from '../refusals/end-refusals.ts'
import { assertKeyQuota } from './assert-key-quota.ts'
import { changedValues } from './changed-values.ts'
import { readKeyTerms } from './key-terms.ts'
import type { ByWhom } from './store-key.ts'

/** Terms by which a key refuses requests. */
const refusingTerms = ['monthlyBudgetNanos', 'requestsPerMinute', 'models', 'paused'] as const

/**
 * Changes the terms of a key.
 *
 * @param key.expectedUsd the budget that the caller saw; undefined to change whatever it is
 * @throws ServiceError `not_found`, also for a revoked key; `invalid_request` naming a field; `budget_changed`; `key_quota_exceeded`
 *   if an expired key would become active again and exceed the quota; `too_many_requests`
 */
export async function changeKey(
  orm: Orm,
  catalog: Catalog,
  key: {
    readonly accountId: string
    readonly id: string
    readonly asked: ChangeKeyRequest
    readonly expectedUsd?: number | null | undefined
  },
  by: ByWhom
): Promise<typeof keys.$inferSelect> {
  const { accountId, id, asked, expectedUsd } = key
  await assertMayChangeKeys(orm, catalog, accountId)
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const [found] = await tx
      .select({ key: keys, planInForce: accounts.planInForce, overrideLimits: accounts.overrideLimits })
      .from(keys)
      .innerJoin(accounts, eq(accounts.id, keys.accountId))
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (found === undefined) throw new ServiceError('not_found')
    const budgetUsd = found.key.monthlyBudgetNanos === null ? null : toUsd(found.key.monthlyBudgetNanos)
    if (expectedUsd !== undefined && expectedUsd !== budgetUsd) throw new ServiceError('budget_changed')
    const terms = readKeyTerms(asked, catalog, found.planInForce, by.at)
    // During the wait for the lock, the key may have expired and another key taken its place in the quota.
    if (found.key.expiresAt !== null && terms.expiresAt !== undefined) {
      const { planInForce, overrideLimits } = found
      const account = { id: accountId, planInForce, overrideLimits }
      await assertKeyQuota(tx, catalog, account, { scope: found.key.scope, besides: id }, by.at)
    }
    await countKeyChange(tx, catalog, accountId)
    const version = await recordChange(tx, [accountShard(accountId), secretShard(found.key.digest)])
    const [row] = await tx
      .update(keys)
      .set({ ...terms, version })
      .where(eq(keys.id, id))
      .returning()
    const isWatchedAnew =
      row!.monthlyBudgetNanos !== found.key.monthlyBudgetNanos ||
      !isDeepStrictEqual(row!.thresholds, found.key.thresholds)
    if (isWatchedAnew) await noteBudget(tx, accountId, id)
    if (refusingTerms.some((term) => !isDeepStrictEqual(row![term], found.key[term])))
      await endByChange(tx, accountId, id)
    const changed = Object.keys(asked).sort().join(', ')
    const detail = { ...changedValues(found.key, row!), label: row!.label, changed, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.updated', subject: id, detail })
    return row!
  })
}
