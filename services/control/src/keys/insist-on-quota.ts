import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, gt, isNull, ne, or } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema.ts'
import { keyQuota, mayAddKey } from './key-quota.ts'

/** Management keys do not count against a plan's quota; they have this one. */
const managementQuota = 5

/**
 * Refuses one more live key of a scope than an account may have. It decides only behind `recordChange`, which keeps other
 * changes waiting.
 *
 * @param key `besides` is the id of a key that is there already and is not counted
 * @throws ServiceError `key_quota_exceeded`
 */
export async function insistOnQuota(
  orm: Orm,
  catalog: Catalog,
  account: { id: string; plan: string },
  key: { scope: 'inference' | 'management'; besides?: string },
  now: Date
): Promise<void> {
  const { scope, besides } = key
  if (scope === 'inference' && keyQuota(catalog, account.plan) === Number.POSITIVE_INFINITY) return
  const live = await orm.$count(
    keys,
    and(
      eq(keys.accountId, account.id),
      eq(keys.scope, scope),
      eq(keys.status, 'active'),
      besides === undefined ? undefined : ne(keys.id, besides),
      or(isNull(keys.expiresAt), gt(keys.expiresAt, now))
    )
  )
  const mayAdd = scope === 'inference' ? mayAddKey(catalog, account.plan, live) : live < managementQuota
  if (mayAdd) return
  const message = scope === 'inference' ? {} : { message: `An account has at most ${managementQuota} management keys.` }
  throw new ServiceError('key_quota_exceeded', message)
}
