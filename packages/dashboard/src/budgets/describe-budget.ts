import type { BudgetUse } from '@tollgate/contracts/http/budgets.ts'
import type { BudgetWindow } from '@tollgate/contracts/records/budget-windows.ts'
import { formatUsd } from '../format/money.ts'
import { formatUtcDay } from '../format/time.ts'

/** What a budget counts. */
export interface BudgetScope {
  readonly window: BudgetWindow
  /** Null for all models. */
  readonly models: readonly string[] | null
}

/** The name of a budget, and when it resets. */
export const windows: Readonly<Record<BudgetWindow, { readonly name: string; readonly resets: string }>> = {
  day: { name: 'Daily budget', resets: 'Every day' },
  week: { name: 'Weekly budget', resets: 'Every Monday' },
  month: { name: 'Monthly budget', resets: 'Every month' },
  lifetime: { name: 'Lifetime budget', resets: 'Never' }
}

/** Whether it is the budget that forms and calls name `monthly_budget_usd`. */
export const isMonthly = ({ window, models }: BudgetScope): boolean => window === 'month' && models === null

/** The use in words. */
export const describeUse = ({ spent_usd: spent, reserved_usd: reserved, remaining_usd: left }: BudgetUse): string =>
  `${formatUsd(spent)} spent, ${formatUsd(reserved)} reserved, ${formatUsd(left)} left`

export function describeReset({ resets_at: at, used_up_at: usedUpAt }: BudgetUse): string {
  const resets = at === null ? 'Never resets.' : `Resets on ${formatUtcDay(new Date(at))} (UTC).`
  if (usedUpAt === null) return resets
  return `${resets} At the pace of the last days, it will be used up on ${formatUtcDay(new Date(usedUpAt))}.`
}
