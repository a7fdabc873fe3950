import type { Transaction } from '../database/connect.ts'
import { type NewEvent, recordEvents } from '../events/record-event.ts'
import type { CustomerRow } from './customers.ts'
import type { Subscription } from './payments.ts'
import type { BillingState, Duplicate } from './plan-from-subscriptions.ts'

/**
 * Tells once that a subscription with a price of no plan was paid: the operators, and the owner if no other subscription
 * gives a plan.
 */
export async function tellOfUnmatched(
  tx: Transaction,
  { accountId }: CustomerRow,
  { unmatched, facts }: { readonly unmatched: readonly Subscription[]; readonly facts: BillingState },
  at: Date
): Promise<void> {
  const events = unmatched.flatMap(({ id, priceIds }): NewEvent[] => {
    const data = { account_id: accountId, subscription_id: id, price_ids: [...priceIds] }
    const event = { type: 'payment.unmatched' as const, data, at }
    const once = `${event.type}:${id}:${priceIds.join()}`
    const toOperators = { ...event, accountId: null, once: `${once}:operators` }
    return id === facts.subscriptionId ? [toOperators, { ...event, accountId, once }] : [toOperators]
  })
  await recordEvents(tx, events)
}

/** Tells the owner and the operators once that a second subscription was paid and ends. */
export async function tellOfDuplicates(
  tx: Transaction,
  { accountId }: CustomerRow,
  duplicates: readonly Duplicate[],
  at: Date
): Promise<void> {
  const events = duplicates.flatMap(({ ended, kept }): NewEvent[] => {
    const data = {
      ...{ account_id: accountId, subscription_id: ended.id, price_ids: [...ended.priceIds] },
      ...{ kept_subscription_id: kept.id, kept_price_ids: [...kept.priceIds] }
    }
    const event = { type: 'payment.duplicate' as const, data, at }
    const once = `${event.type}:${ended.id}`
    return [
      { ...event, accountId: null, once: `${once}:operators` },
      { ...event, accountId, once }
    ]
  })
  await recordEvents(tx, events)
}
