/** The minimum time from the start of one comparison of all users to the start of the next. */
export const minPeriodMs = 10 * 60_000
/** With more users, the period grows in proportion. */
const usersInMinPeriod = 10_000

/**
 * Milliseconds from the start of one comparison of all users to the start of the next: 10 minutes up to 10,000 users,
 * then in proportion. So the provider never lists more than about 50 pages in 10 minutes.
 *
 * @param users the number of our users
 */
export function sweepPeriodMs(users: number): number {
  return Math.ceil(minPeriodMs * Math.max(1, users / usersInMinPeriod))
}
