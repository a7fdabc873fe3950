/** Statuses of the payment provider after which a subscription never asks for money again. */
export const endedStatuses = ['canceled', 'incomplete_expired'] as const
const ended: ReadonlySet<string> = new Set(endedStatuses)

/**
 * Whether an account has a subscription that charges it, or may again: one that is unpaid or paused is not over.
 *
 * @param status of its subscription at the payment provider, null without one
 */
export function isSubscriptionLive(status: string | null): boolean {
  return status !== null && !ended.has(status)
}
