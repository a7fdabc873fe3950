/** The payment provider tells of a payment within seconds; much later, something is amiss. */
export const patienceMs = 60_000

const firstMs = 1_000
const mostMs = 8_000

/**
 * When to ask again whether a payment has arrived: soon at first, then more and more seldom.
 *
 * @param waitedMs since the first question
 * @returns null once it is time to give up
 */
export function askAgainAfterMs(waitedMs: number): number | null {
  if (waitedMs >= patienceMs) return null
  return Math.min(mostMs, Math.max(firstMs, waitedMs / 4))
}
