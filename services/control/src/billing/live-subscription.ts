/** Statuses in which a subscription never charges again. */
export const endedStatuses = ['canceled', 'incomplete_expired'] as const
const ended: ReadonlySet<string> = new Set(endedStatuses)

/**
 * Whether a subscription charges, or may charge again: an unpaid or paused one may.
 *
 * @param status at the payment provider; null without a subscription
 */
export function isSubscriptionLive(status: string | null): boolean {
  return status !== null && !ended.has(status)
}
