import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { freeBudgetLeft } from '@tollgate/contracts/records/budgets.ts'
import type { FreeBudget } from '@tollgate/contracts/records/records.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import { effectivePlan } from './effective-plan.ts'
import type { LimitedAccount } from './limits-in-force.ts'

/** The columns of an account that decide its share of a free budget. */
export interface FreeBudgetAccount extends LimitedAccount {
  readonly freeBudget: FreeBudget | null
}

/** See `freeBudgetLeft`. */
export const freeBudgetOf = (
  catalog: Catalog,
  { planInForce, overrideLimits, freeBudget }: FreeBudgetAccount
): FreeBudget | null =>
  freeBudgetLeft(effectivePlan(catalog, planInForce) === freePlan, overrideLimits?.monthlyNanos, freeBudget)

/** What an account has of its plan's budget this month, nanodollars. @param free see {@link freeBudgetOf} */
export function budgetLeftNanos(free: FreeBudget | null, planNanos: number, now: Date): number {
  return free?.isElsewhere === true ? 0 : Math.max(0, planNanos - spentBeforeNanos(free, now))
}

/** What deleted accounts of the mailbox spent of this month's free budget, nanodollars. */
export const spentBeforeNanos = (free: FreeBudget | null, now: Date): number =>
  free?.spent?.month === monthNumber(now) ? free.spent.nanos : 0
