const dayMs = 86_400_000

/** A day in UTC, ms since the epoch; `to` is exclusive. */
export interface Day {
  readonly from: number
  readonly to: number
}

/** @param now ms since the epoch */
export function dayOf(now: number): Day {
  const from = Math.floor(now / dayMs) * dayMs
  return { from, to: from + dayMs }
}

/**
 * Decides until when gateways refuse what free accounts have to pay for.
 *
 * @param limitNanos what all of them together may spend in a day, nanodollars; null: no limit
 * @param spentNanos what they have spent in the day, or may still spend for running requests
 * @returns ms since the epoch; 0: they refuse nothing
 */
export const freeClosing = (limitNanos: bigint | null, spentNanos: bigint, day: Day): number =>
  limitNanos !== null && spentNanos >= limitNanos ? day.to : 0
