import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type FreeBudgetAccount, freeBudgetOf, spentBeforeNanos } from '../accounts/free-budget.ts'
import { type LimitedAccount, limitsInForce } from '../catalog/limits-in-force.ts'

export interface CappedAccount extends LimitedAccount, FreeBudgetAccount {
  readonly ownCapNanos: number | null
}

/**
 * An account's cap for this month in nanodollars: the plan's or the operator's, or the owner's own if that is lower. What other
 * accounts of the mailbox leave of the free budget is the plan's.
 */
export function monthlyCapNanos(catalog: Catalog, account: CappedAccount, now: Date): number {
  const free = freeBudgetOf(catalog, account)
  if (free?.isElsewhere === true) return 0
  const planNanos = Math.max(0, limitsInForce(catalog, account).monthlyNanos - spentBeforeNanos(free, now))
  return Math.min(planNanos, account.ownCapNanos ?? Number.POSITIVE_INFINITY)
}
