import type { AccountRecord } from './records.ts'

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
