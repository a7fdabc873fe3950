import type { Answer } from '../../api/call.ts'
import { formatDay } from '../../format/time.ts'

type Plan = Answer<'getPlan'>['plan']

/**
 * What somebody with a subscription of their own must do before they can join a team; null without a subscription.
 *
 * @param isRefused whether the answer to an attempt to join named the subscription: not every one is seen in the plan
 */
export function describeSubscription(plan: Plan | undefined, isRefused: boolean): string | null {
  const { cancel_at: end = null, renews_at = null, price_id = null, past_due = false } = plan ?? {}
  if (end !== null) {
    return `Your own subscription ends on ${formatDay(new Date(end))}. You can join the team after that day. If the invitation has expired by then, ask for a new one.`
  }
  const isLive = isRefused || renews_at !== null || price_id !== null || past_due
  return isLive ? 'Cancel your own subscription first. You can join the team when it has ended.' : null
}
