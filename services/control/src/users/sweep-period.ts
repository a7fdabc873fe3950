/** The shortest time from the start of one comparison of all users to the start of the next. */
export const shortestPeriodMs = 10 * 60_000
/** With more users the period grows with their number. */
const usersInShortest = 10_000

/**
 * Milliseconds from the start of one comparison of all users to the start of the next: 10 minutes up to 10,000 users, and
 * in proportion to their number above. So however many there are, comparing them takes the same share of the provider's
 * time: 10,000 users are 50 pages in 10 minutes.
 *
 * @param users how many we know
 */
export function sweepPeriodMs(users: number): number {
  return Math.ceil(shortestPeriodMs * Math.max(1, users / usersInShortest))
}
