import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'

/**
 * What an account may spend in a month, in nanodollars: the plan's cap, or its own below it.
 *
 * @param ownCapNanos null without one
 */
export function monthlyCapNanos(catalog: Catalog, plan: string, ownCapNanos: number | null): number {
  const { monthlyNanos } = catalog.plans[effectivePlan(catalog, plan)]!.caps
  return Math.min(monthlyNanos, ownCapNanos ?? Number.POSITIVE_INFINITY)
}
