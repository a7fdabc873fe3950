/** Hours with which an hour is compared: those of two weeks. */
export const usualHours = 14 * 24
const factor = 5
/** An account that usually spends less counts as one that spends this much: small accounts vary. */
const minUsualNanos = 2_000_000_000

/** An hour that is far more expensive than the ones before. */
export interface UnusualHour {
  readonly spentNanos: number
  /** The most that the account spent in one of the hours before. */
  readonly usualNanos: number
}

/**
 * Judges what an account spent in an hour: it is unusual above five times the most expensive hour of the two weeks before, and
 * above $10. The most expensive hour, because many accounts work only at some hours.
 *
 * @param spentNanos so far, if the hour has not ended
 * @param hourNanos the hours before, in any order. Hours without usage may be left out
 * @returns null if it is not unusual
 */
export function judgeHour(spentNanos: number, hourNanos: readonly number[]): UnusualHour | null {
  const usualNanos = hourNanos.reduce((most, nanos) => Math.max(most, nanos), 0)
  return spentNanos > factor * Math.max(usualNanos, minUsualNanos) ? { spentNanos, usualNanos } : null
}

/** No hour with less is unusual, so nobody need read the hours before. */
export const minUnusualNanos = factor * minUsualNanos
