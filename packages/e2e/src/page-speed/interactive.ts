/** A task in the page. Times are milliseconds since navigation started. */
export interface Task {
  readonly start: number
  readonly end: number
}

/** The page is interactive if no long task starts for this time. */
const quietMs = 2000

/**
 * Computes when a page became interactive: when its content was shown, or when the last long task ended, if that was
 * later. A long task takes 50 ms or more. Tasks after two quiet seconds do not count.
 *
 * @param titleMs when the content was shown, milliseconds since navigation started
 * @param longTasks ordered by time
 */
export function timeToInteractive(titleMs: number, longTasks: readonly Task[]): number {
  let since = titleMs
  for (const { start, end } of longTasks) {
    if (start - since >= quietMs) break
    since = Math.max(since, end)
  }
  return since
}

/** The median; for an even number of values the higher of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
