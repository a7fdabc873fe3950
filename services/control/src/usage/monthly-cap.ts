import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type LimitedAccount, limitsInForce } from '../catalog/limits-in-force.ts'

/** An account's monthly cap in nanodollars: the plan's or the operator's, or the owner's own if that is lower. */
export function monthlyCapNanos(catalog: Catalog, account: LimitedAccount & { ownCapNanos: number | null }): number {
  return Math.min(limitsInForce(catalog, account).monthlyNanos, account.ownCapNanos ?? Number.POSITIVE_INFINITY)
}
