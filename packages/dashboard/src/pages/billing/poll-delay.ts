/** The payment provider reports a payment within seconds. After this time the page stops waiting. */
export const maxWaitMs = 60_000

const minMs = 1_000
const maxMs = 8_000

/**
 * The delay until the next check for a payment: short at first, then longer and longer.
 *
 * @param waitedMs since the first check
 * @returns null once the page should stop waiting
 */
export function pollDelayMs(waitedMs: number): number | null {
  if (waitedMs >= maxWaitMs) return null
  return Math.min(maxMs, Math.max(minMs, waitedMs / 4))
}
