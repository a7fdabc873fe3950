import type { Transaction } from '../database/connect.ts'
import { recordEvent } from '../events/record-event.ts'

/** Records the event that another plan is in force, in the transaction of the change. The same plan is no event. */
export async function recordPlanChange(
  tx: Transaction,
  accountId: string,
  plans: { readonly from: string; readonly to: string },
  at: Date
): Promise<void> {
  const { from, to } = plans
  if (from !== to) await recordEvent(tx, { type: 'plan.changed', accountId, data: { from, to }, at })
}
