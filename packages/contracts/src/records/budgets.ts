import type { AccountRecord, FreeBudget } from './records.ts'

/** The plan in force: the one that an operator set, else the account's own. */
export const planOf = ({ plan, override }: AccountRecord): string => override?.plan?.id ?? plan

/** When the first part of an operator's override ends, ms since the epoch; null if no part ends. */
export function overrideEndsAt({ override }: AccountRecord): number | null {
  const [plan = null, limits = null] = [override?.plan?.until, override?.limits?.until]
  return plan === null || limits === null ? (plan ?? limits) : Math.min(plan, limits)
}

/** The record without the parts of an override that end at this time or before, ms since the epoch. */
export function withoutEnded(record: AccountRecord, now: number): AccountRecord {
  const { override, ...rest } = record
  if (override === undefined) return record
  const hasEnded = (until: number | null): boolean => until !== null && until <= now
  const { plan, limits } = override
  return {
    ...rest,
    override: {
      ...(plan !== undefined && !hasEnded(plan.until) && { plan }),
      ...(limits !== undefined && !hasEnded(limits.until) && { limits })
    }
  }
}

/**
 * Decides what an account has of the free budget of its mailbox. Accounts of one mailbox share one free budget a month:
 * the oldest account has it, and what deleted accounts of the mailbox spent this month is gone from it. A paid plan, or
 * an operator's budget for the account, replaces it.
 *
 * @param isFree whether the free plan is in force
 * @param setNanos the monthly budget that an operator set instead of the plan's
 * @returns null if the account has the whole budget of its plan
 */
export function freeBudgetLeft(
  isFree: boolean,
  setNanos: number | undefined,
  budget: FreeBudget | null | undefined
): FreeBudget | null {
  return isFree && setNanos === undefined ? (budget ?? null) : null
}
