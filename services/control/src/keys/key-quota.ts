import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type LimitedAccount, limitsInForce } from '../catalog/plans.ts'

/** How many live inference keys an account may have; Infinity without a limit. */
export function keyQuota(catalog: Catalog, account: LimitedAccount): number {
  return limitsInForce(catalog, account).keyQuota ?? Number.POSITIVE_INFINITY
}

/** Whether an account may have one more live inference key. Keys above a lowered quota stay. */
export function mayAddKey(catalog: Catalog, account: LimitedAccount, liveKeys: number): boolean {
  return liveKeys < keyQuota(catalog, account)
}
