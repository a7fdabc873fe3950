import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'

/** How many live inference keys a plan allows; Infinity without a limit. */
export function keyQuota(catalog: Catalog, plan: string): number {
  return catalog.plans[effectivePlan(catalog, plan)]!.keyQuota ?? Number.POSITIVE_INFINITY
}

/** Whether an account may have one more live inference key. Keys above a lowered quota stay. */
export function mayAddKey(catalog: Catalog, plan: string, liveKeys: number): boolean {
  return liveKeys < keyQuota(catalog, plan)
}
