import type { Subscription } from './payments.ts'
import type { BillingState } from './plan-from-subscriptions.ts'

/** Whether a subscription is the stored one and has not changed. */
export function isUnchangedSubscription(subscription: Subscription, facts: Omit<BillingState, 'plan'>): boolean {
  const { id, status, priceIds, cancelAt, periodEndsAt, isUnpaid } = subscription
  const renewsAt = cancelAt === null ? periodEndsAt : null
  return (
    id === facts.subscriptionId &&
    status === facts.status &&
    facts.priceId !== null &&
    priceIds.includes(facts.priceId) &&
    isSame(cancelAt, facts.cancelAt) &&
    (facts.renewsAt === null || isSame(renewsAt, facts.renewsAt)) &&
    (isUnpaid === facts.isPastDue || status === 'past_due' || status === 'unpaid')
  )
}

const isSame = (a: Date | null, b: Date | null): boolean => a?.getTime() === b?.getTime()
