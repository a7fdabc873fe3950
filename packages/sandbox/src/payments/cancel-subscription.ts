import { changeInvoice, changeSubscription } from './changes.ts'
import type { PaymentsContext } from './context.ts'
import { currentPeriodEnd } from './periods.ts'
import type { WireSubscription } from './wire.ts'

/** Ends a subscription now and stops collecting its open invoices. */
export function cancelSubscription(
  context: PaymentsContext,
  subscription: WireSubscription,
  reason: 'cancellation_requested' | 'payment_failed'
): WireSubscription {
  const nowS = context.clock.nowS()
  const ended: WireSubscription = {
    ...subscription,
    status: 'canceled',
    canceled_at: subscription.canceled_at ?? nowS,
    ended_at: nowS,
    cancellation_details: {
      comment: subscription.cancellation_details?.comment ?? null,
      feedback: subscription.cancellation_details?.feedback ?? null,
      feedback_option: null,
      reason
    }
  }
  context.objects.put('subscription', ended)
  context.objects.remove('pending_lines', subscription.id)
  context.emit('customer.subscription.deleted', ended)
  for (const invoice of context.objects.list('invoice', subscription.customer)) {
    const isOfIt = invoice.parent?.subscription_details?.subscription === subscription.id
    if (isOfIt && invoice.status === 'open') {
      changeInvoice(context, invoice, { auto_advance: false, next_payment_attempt: null })
    }
  }
  return ended
}

/** The changes that cancel a subscription at the end of its period. */
function cancelAtPeriodEnd(subscription: WireSubscription, nowS: number): Partial<WireSubscription> {
  return {
    cancel_at_period_end: true,
    cancel_at: currentPeriodEnd(subscription),
    canceled_at: subscription.canceled_at ?? nowS,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: 'cancellation_requested'
    }
  }
}

/** The changes that undo a planned cancellation. */
function undoCancellation(): Partial<WireSubscription> {
  return {
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null }
  }
}

/** Cancels a subscription at the end of its period, or undoes that. */
export function setCancelAtPeriodEnd(
  context: PaymentsContext,
  subscription: WireSubscription,
  isToCancel: boolean
): WireSubscription {
  const changes = isToCancel ? cancelAtPeriodEnd(subscription, context.clock.nowS()) : undoCancellation()
  return changeSubscription(context, subscription, changes)
}
