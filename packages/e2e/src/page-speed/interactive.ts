/** Milliseconds since the navigation began. */
export type Task = { readonly start: number; readonly end: number }

/** For so long after it nothing may keep the page from answering. */
const quietMs = 2000

/**
 * When a page was there and answered: the end of the last long task (of 50 ms and more) before two seconds without one, or
 * when its content was shown, if that came later.
 *
 * @param shown when its content was there, milliseconds since the navigation began
 * @param longTasks in the order of time
 */
export function timeToInteractive(shown: number, longTasks: readonly Task[]): number {
  let since = shown
  for (const { start, end } of longTasks) {
    if (start - since >= quietMs) break
    since = Math.max(since, end)
  }
  return since
}

/** The middle one of an odd number of values; of an even number the higher of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
