import type { FreeBudget } from './records.ts'

/**
 * Decides what an account has of the free budget of its mailbox. Accounts of one mailbox share one free budget a month: the oldest
 * account has it, and what deleted accounts of the mailbox spent this month is gone from it. A paid plan, or an operator's budget for
 * the account, replaces it.
 *
 * @param isFree whether the free plan is in force
 * @param setNanos the monthly budget that an operator set instead of the plan's
 * @returns null if the account has the whole budget of its plan
 */
export function freeBudgetLeft(
  isFree: boolean,
  setNanos: number | undefined,
  found: FreeBudget | null | undefined
): FreeBudget | null {
  return isFree && setNanos === undefined ? (found ?? null) : null
}
