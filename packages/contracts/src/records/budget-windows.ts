/**
 * How long a budget counts before it begins again: a calendar day, week (from Monday) or month in UTC, or for ever. A
 * window has a number that grows with time, and what was spent is kept with that number. So nothing must be reset.
 */
export const budgetWindows = ['day', 'week', 'month', 'lifetime'] as const
export type BudgetWindow = (typeof budgetWindows)[number]

/** How many budgets a key may have, and an account with its members. */
export const maxBudgets = 12

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** The first Monday, 1970-01-05, lies four days after the epoch: weeks are counted from the Monday before it. */
const mondayMs = -3 * dayMs

/**
 * The number of the window that has a moment in it: days or weeks since the epoch, yyyymm for a month, 1 for a
 * lifetime. The same as `windowOf` in state/layout/budget.lua.
 *
 * @param time ms since the epoch
 */
export function windowNumber(window: BudgetWindow, time: number): number {
  if (window === 'day') return Math.floor(time / dayMs)
  if (window === 'week') return Math.floor((time - mondayMs) / weekMs)
  if (window === 'lifetime') return 1
  const date = new Date(time)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}

/** When a window begins, ms since the epoch; null for a lifetime. */
export function windowBegins(window: BudgetWindow, number: number): number | null {
  if (window === 'day') return number * dayMs
  if (window === 'week') return number * weekMs + mondayMs
  return window === 'month' ? Date.UTC(Math.floor(number / 100), (number % 100) - 1) : null
}

/** When a window ends, as the API tells it; null for a lifetime. */
export function windowResetsAt(window: BudgetWindow, number: number): string | null {
  const endsAt = windowEnds(window, number)
  return endsAt === null ? null : new Date(endsAt).toISOString()
}

/** When the next window begins, ms since the epoch; null for a lifetime. */
export function windowEnds(window: BudgetWindow, number: number): number | null {
  return window === 'month' ? Date.UTC(Math.floor(number / 100), number % 100) : windowBegins(window, number + 1)
}
