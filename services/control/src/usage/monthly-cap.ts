import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'

/**
 * An account's monthly cap in nanodollars: the plan's, or the account's own if that is lower.
 *
 * @param ownCapNanos null if the account has set none
 */
export function monthlyCapNanos(catalog: Catalog, plan: string, ownCapNanos: number | null): number {
  const { monthlyNanos } = catalog.plans[effectivePlan(catalog, plan)]!.caps
  return Math.min(monthlyNanos, ownCapNanos ?? Number.POSITIVE_INFINITY)
}
