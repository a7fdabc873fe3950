/** Thresholds of a budget, unless the owner of the account chose others; percent. */
export const defaultThresholds: readonly number[] = [50, 80, 100]

/** Thresholds as they are stored. */
export const inOrder = (percents: readonly number[] | null): number[] | null =>
  percents?.toSorted((one, other) => one - other) ?? null

/** What somebody was told about a budget in this month; zeros if nothing. */
export interface Told {
  readonly percent: number
  readonly spentNanos: number
}

export interface BudgetState {
  readonly spentNanos: number
  readonly budgetNanos: number
  /** Percent, in any order. */
  readonly thresholds: readonly number[]
  readonly told: Told
  /** Whether requests are refused because too little is left. */
  readonly refuses?: boolean
}

/** A budget that refuses requests counts as used up from this share on. Before it, shorter requests may still fit. */
const usedUpShare = 0.9

/** The spend by which thresholds are judged. */
export const judgedSpend = ({
  spentNanos,
  budgetNanos,
  refuses = false
}: Omit<BudgetState, 'thresholds' | 'told'>): number =>
  refuses && spentNanos >= usedUpShare * budgetNanos ? Math.max(spentNanos, budgetNanos) : spentNanos

/**
 * The threshold to tell now: the highest one that the spend has reached, unless it is old news. So a jump over several
 * thresholds is told once.
 *
 * The budget may change within the month. A threshold is news if it is above the last one that was told, or if its
 * amount is above the spend of that time. So after a budget was raised, its thresholds above the known spend are told
 * again, and those below are not. A budget that refuses requests counts as used up a little earlier. After a budget was
 * lowered below the spend, only a higher percentage is told.
 *
 * @returns percent; null for nothing to tell
 */
export function decideThreshold(budget: BudgetState): number | null {
  const { budgetNanos, thresholds, told } = budget
  const spentNanos = judgedSpend(budget)
  if (spentNanos <= 0 || budgetNanos <= 0) return null
  const reached = thresholds.filter((percent) => spentNanos >= reachedAt(percent, budgetNanos))
  if (reached.length === 0) return null
  const highest = Math.max(...reached)
  const isNews = highest > told.percent || reachedAt(highest, budgetNanos) > told.spentNanos
  return isNews ? highest : null
}

/**
 * The spend at which a rounded percentage is reached. Admission refuses what no longer fits, so a budget is used up a
 * little below 100 %.
 */
const reachedAt = (percent: number, budgetNanos: number): number => ((percent - 0.5) / 100) * budgetNanos
