/** A difference below this may be the time that an answer took, and the server's own inaccuracy. */
const minSkewMs = 5 * 60_000

const server = { aheadMs: 0 }

/**
 * Compares the server's clock with the browser's. Many computers have a wrong clock: ranges of usage would then be
 * empty, or lie in the future.
 *
 * @param date a `Date` header; null without one
 */
export function noteServerTime(date: string | null): void {
  const aheadMs = Date.parse(date ?? '') - Date.now()
  if (!Number.isNaN(aheadMs)) server.aheadMs = Math.abs(aheadMs) < minSkewMs ? 0 : aheadMs
}

/** The time, also if the browser's clock is wrong. Measure durations with `performance.now()` instead. */
export const now = (): Date => new Date(Date.now() + server.aheadMs)
