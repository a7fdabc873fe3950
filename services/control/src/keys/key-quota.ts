import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, gt, isNull, ne, or } from 'drizzle-orm'
import { effectivePlan, type LimitedAccount, limitsInForce } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'

/** Management keys per account. They do not count towards the plan's quota. */
const managementQuota = 5

/**
 * Checks that an account may have one more live key of a scope. Call it under the lock of `recordChange`: without it,
 * two new keys could pass at once.
 *
 * @param key `besides` is the id of an existing key that is not counted
 * @throws ServiceError `key_quota_exceeded`
 */
export async function assertKeyQuota(
  orm: Orm,
  catalog: Catalog,
  account: LimitedAccount & { id: string },
  key: { scope: 'inference' | 'management'; besides?: string },
  now: Date
): Promise<void> {
  const { scope, besides } = key
  if (scope === 'inference' && keyQuota(catalog, account) === Number.POSITIVE_INFINITY) return
  const live = await orm.$count(
    keys,
    and(
      eq(keys.accountId, account.id),
      eq(keys.scope, scope),
      eq(keys.status, 'active'),
      isNull(keys.sessionId),
      besides === undefined ? undefined : ne(keys.id, besides),
      or(isNull(keys.expiresAt), gt(keys.expiresAt, now))
    )
  )
  const mayAdd = scope === 'inference' ? mayAddKey(catalog, account, live) : live < managementQuota
  if (mayAdd) return
  const message =
    scope === 'inference'
      ? {}
      : { message: `An account can have ${managementQuota} management keys. Revoke one first.` }
  throw new ServiceError('key_quota_exceeded', message)
}

/** How many live inference keys an account may have; Infinity without a limit. */
export function keyQuota(catalog: Catalog, account: LimitedAccount): number {
  return limitsInForce(catalog, account).keyQuota ?? Number.POSITIVE_INFINITY
}

/** Whether an account may have one more live inference key. Keys above a lowered quota stay. */
export function mayAddKey(catalog: Catalog, account: LimitedAccount, liveKeys: number): boolean {
  return liveKeys < keyQuota(catalog, account)
}

const partnerApi = 'partner-api'

/**
 * Whether a plan lets a server create keys. It needs the entitlement `partner-api` if any plan of the catalog has it;
 * otherwise the operator does not sell the Keys API apart, and every plan has it.
 *
 * @param plan the plan in force of an account
 */
export function mayCreateByServer(catalog: Catalog, plan: string | null): boolean {
  const isSold = Object.values(catalog.plans).some(({ entitlements }) => entitlements.includes(partnerApi))
  return !isSold || catalog.plans[effectivePlan(catalog, plan)]!.entitlements.includes(partnerApi)
}
