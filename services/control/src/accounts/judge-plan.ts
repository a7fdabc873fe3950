import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'

/** What we want `app_metadata.plan` of a user to be, and what may stand there because of us. */
export type PlanWrite = { readonly intended: string; readonly ours: readonly string[] }

/**
 * The plan that somebody set by hand at the identity provider: whatever is found there and we did not write. It holds
 * until it is removed there.
 *
 * @param found `app_metadata.plan`; null if there is none
 */
export function planByHand(found: string | null, ours: readonly string[]): string | null {
  return found === null || ours.includes(found) ? null : found
}

/** What is to be done about a plan that was found at the provider: leave what was set by hand, write, or nothing. */
export function judgePlanWrite(found: string | null, { intended, ours }: PlanWrite): 'by hand' | 'write' | 'written' {
  if (planByHand(found, ours) !== null) return 'by hand'
  return found === intended ? 'written' : 'write'
}

/**
 * The plan of a user's own account. A seat has none of its own but one that was set by hand: what we write for a seat is
 * the team's.
 *
 * @param write null if we never meant to write any
 */
export function personalPlan(found: string | null, write: PlanWrite | null, isSeat: boolean): string {
  if (write === null) return found ?? freePlan
  return planByHand(found, write.ours) ?? (isSeat ? freePlan : write.intended)
}
