import type { PaymentsContext } from '../context.ts'
import type { WireSubscription } from '../wire.ts'
import { changeInvoice, changeSubscription } from './changes.ts'
import { currentPeriodEnd } from './due.ts'

/** Ends a subscription now. Its open invoices are not collected any more. */
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

/** What changes when a subscription is to end with its period. */
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

/** What changes when a subscription is to go on after all. */
function keepOn(): Partial<WireSubscription> {
  return {
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null }
  }
}

/** Plans the end of a subscription with its period, or calls it off. */
export function setCancelAtPeriodEnd(
  context: PaymentsContext,
  subscription: WireSubscription,
  isToEnd: boolean
): WireSubscription {
  const changes = isToEnd ? cancelAtPeriodEnd(subscription, context.clock.nowS()) : keepOn()
  return changeSubscription(context, subscription, changes)
}
