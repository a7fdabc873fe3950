import type { Transaction } from '../database/connect.ts'
import { recordEvent } from '../events/record-event.ts'
import type { CustomerRow } from './customers.ts'
import type { BillingState } from './plan-from-subscriptions.ts'

/**
 * Records the event that a payment failed, once for each period of a subscription: the provider tries several times, and reports
 * each try by several events, in any order. It is recorded when the subscription is past due, whatever told control to look.
 *
 * @param invoiceId null if no event of the provider named the invoice
 */
export async function recordFailedPayment(
  tx: Transaction,
  { accountId, facts: before }: CustomerRow,
  facts: BillingState,
  invoiceId: string | null,
  now: Date
): Promise<void> {
  if (!facts.isPastDue || (before.isPastDue && invoiceId === null)) return
  const period = (facts.renewsAt ?? facts.cancelAt)?.toISOString() ?? ''
  await recordEvent(tx, {
    ...{ type: 'payment.failed', accountId, data: { invoice_id: invoiceId }, at: now },
    once: `payment.failed:${accountId}:${facts.subscriptionId}:${period}`
  })
}
