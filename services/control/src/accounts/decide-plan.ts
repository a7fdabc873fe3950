import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'

/** What control writes to `app_metadata.plan` of a user: the intended plan, and all plans that it may have written. */
export interface PlanWrite {
  readonly intended: string
  readonly ours: readonly string[]
}

/**
 * The plan that an operator set at the identity provider: any plan there that control did not write. It applies until the
 * operator removes it.
 *
 * @param found `app_metadata.plan`; null if it is not set
 */
export function planByHand(found: string | null, ours: readonly string[]): string | null {
  return found === null || ours.includes(found) ? null : found
}

/** Decides about the plan at the provider. An operator's plan stays; control replaces its own plan if it intends another. */
export function decidePlanWrite(found: string | null, { intended, ours }: PlanWrite): 'by hand' | 'write' | 'written' {
  if (planByHand(found, ours) !== null) return 'by hand'
  return found === intended ? 'written' : 'write'
}

/**
 * The plan of a user's own account. For a user with a seat, control writes the team's plan to the provider, so their own
 * account is free unless an operator set a plan.
 *
 * @param write null if control never intended a plan
 */
export function personalPlan(found: string | null, write: PlanWrite | null, isSeat: boolean): string {
  if (write === null) return found ?? freePlan
  return planByHand(found, write.ours) ?? (isSeat ? freePlan : write.intended)
}
