/** Thresholds of a budget, unless the owner of the account chose others; percent. */
export const defaultThresholds: readonly number[] = [50, 80, 100]

/** Thresholds as they are stored. */
export const inOrder = (percents: readonly number[] | null): number[] | null =>
  percents?.toSorted((one, other) => one - other) ?? null

/** What somebody was told about a budget in its present window; zeros if nothing. */
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
  const { budgetNanos, told } = budget
  const spentNanos = judgedSpend(budget)
  if (spentNanos <= 0 || budgetNanos <= 0) return null
  const highest = highestReached(budget, spentNanos)
  if (highest === 0) return null
  const isNews = highest > told.percent || reachedAt(highest, budgetNanos) > told.spentNanos
  return isNews ? highest : null
}

/**
 * What still counts as told after the spend was corrected: a threshold that it is below again is told again when it is
 * reached. A budget that counted as used up early stays so until its spend is below that share.
 */
export function toldAfterCorrection(budget: BudgetState): Told {
  const { told } = budget
  const spentNanos = judgedSpend({ ...budget, refuses: true })
  if (spentNanos >= told.spentNanos) return told
  const percent = highestReached(budget, spentNanos)
  return percent < told.percent ? { percent, spentNanos } : told
}

/** @returns percent; 0 for none */
const highestReached = ({ thresholds, budgetNanos }: BudgetState, spentNanos: number): number =>
  Math.max(0, ...thresholds.filter((percent) => spentNanos >= reachedAt(percent, budgetNanos)))

/**
 * The spend at which a rounded percentage is reached. Admission refuses what no longer fits, so a budget is used up a
 * little below 100 %.
 */
const reachedAt = (percent: number, budgetNanos: number): number => ((percent - 0.5) / 100) * budgetNanos
