import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'

/** How many live inference keys an account on a plan may have; Infinity if it is not limited. */
export function keyQuota(catalog: Catalog, plan: string): number {
  return catalog.plans[effectivePlan(catalog, plan)]!.keyQuota ?? Number.POSITIVE_INFINITY
}

/** Whether an account that has so many live inference keys may have one more. Keys above a lowered quota stay. */
export function mayAddKey(catalog: Catalog, plan: string, liveKeys: number): boolean {
  return liveKeys < keyQuota(catalog, plan)
}
