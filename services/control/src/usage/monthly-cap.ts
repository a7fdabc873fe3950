import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { budgetLeftNanos, type FreeBudgetAccount, freeBudgetOf } from '../catalog/free-budget-left.ts'
import { limitsInForce } from '../catalog/limits-in-force.ts'

export interface CappedAccount extends FreeBudgetAccount {
  readonly ownCapNanos: number | null
}

/**
 * An account's cap for this month in nanodollars: the plan's or the operator's, or the owner's own if that is lower. What other
 * accounts of the mailbox leave of the free budget is the plan's.
 */
export function monthlyCapNanos(catalog: Catalog, account: CappedAccount, now: Date): number {
  const { monthlyNanos } = limitsInForce(catalog, account)
  const planNanos = budgetLeftNanos(freeBudgetOf(catalog, account), monthlyNanos, now)
  return Math.min(planNanos, account.ownCapNanos ?? Number.POSITIVE_INFINITY)
}
