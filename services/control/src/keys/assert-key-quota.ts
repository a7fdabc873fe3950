import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, gt, isNull, ne, or } from 'drizzle-orm'
import type { LimitedAccount } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { keyQuota, mayAddKey } from './key-quota.ts'

/** Management keys per account. They do not count towards the plan's quota. */
const managementQuota = 5

/**
 * Checks that an account may have one more live key of a scope. Call it under the lock of `recordChange`: without it, two new
 * keys could pass at once.
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
