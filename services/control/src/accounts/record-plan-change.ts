import type { Transaction } from '../database/connect.ts'
import { recordEvent } from '../events/record-event.ts'
import { noteBudget } from '../notices/spend-checks.ts'
import { endByChange } from '../refusals/end-refusals.ts'

/**
 * Records the event that another plan is in force, in the transaction of the change. The same plan is no event. The plan has
 * another budget, of which the spend may be a larger share.
 */
export async function recordPlanChange(
  tx: Transaction,
  accountId: string,
  plans: { readonly from: string; readonly to: string },
  at: Date
): Promise<void> {
  const { from, to } = plans
  if (from === to) return
  await recordEvent(tx, { type: 'plan.changed', accountId, data: { from, to }, at })
  await noteChangedLimits(tx, accountId)
}

/** Has the budget of an account checked after its limits changed. What they refused before may be served now. */
export async function noteChangedLimits(tx: Transaction, accountId: string): Promise<void> {
  await noteBudget(tx, accountId, null)
  await endByChange(tx, accountId, null)
}
