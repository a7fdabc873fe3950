import { cancelSubscription } from './cancel-subscription.ts'
import { changeSubscription } from './changes.ts'
import type { PaymentsContext } from './context.ts'
import type { WireInvoice, WireSubscription } from './wire.ts'

const dayS = 86_400

/**
 * Charges an open invoice to the card of its subscription and sets the subscription's status. Paid: active. Failed:
 * past due. Failed at the last attempt: ended or unpaid.
 *
 * @returns the invoice, paid if the charge succeeded
 */
export function collectInvoice(context: PaymentsContext, invoice: WireInvoice): WireInvoice {
  const id = invoice.parent?.subscription_details?.subscription
  const subscription = id === undefined ? null : context.objects.get('subscription', id)
  const isPaid = invoice.amount_due === 0 || (subscription !== null && canCharge(context, subscription))
  const collected = isPaid ? markPaid(context, invoice) : markFailed(context, invoice)
  if (subscription !== null && subscription.status !== 'canceled') updateStatus(context, subscription, collected)
  return collected
}

/** Whether charges to the card of the subscription, or else of the customer, succeed. */
export function canCharge(context: PaymentsContext, subscription: WireSubscription): boolean {
  const customer = context.objects.get('customer', subscription.customer)
  const paymentMethod = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method
  return paymentMethod ? (context.objects.get('card', paymentMethod)?.isCharged ?? false) : false
}

/** Marks an open invoice as paid and emits the events. */
export function markPaid(context: PaymentsContext, invoice: WireInvoice): WireInvoice {
  const isFree = invoice.amount_due === 0
  const paid: WireInvoice = {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: isFree ? invoice.attempt_count : invoice.attempt_count + 1,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: context.clock.nowS() }
  }
  context.objects.put('invoice', paid)
  context.emit('invoice.paid', paid)
  context.emit('invoice.payment_succeeded', paid)
  return paid
}

function markFailed(context: PaymentsContext, invoice: WireInvoice): WireInvoice {
  const pauseDays = context.settings.retryDays[invoice.attempt_count]
  const isFirst = invoice.billing_reason === 'subscription_create'
  const failed: WireInvoice = {
    ...invoice,
    attempt_count: invoice.attempt_count + 1,
    attempted: true,
    // The first payment is not retried; the customer has to pay again.
    next_payment_attempt: isFirst || pauseDays === undefined ? null : context.clock.nowS() + pauseDays * dayS
  }
  context.objects.put('invoice', failed)
  context.emit('invoice.payment_failed', failed)
  return failed
}

function updateStatus(context: PaymentsContext, subscription: WireSubscription, invoice: WireInvoice): void {
  if (invoice.status === 'paid') {
    if (subscription.status !== 'trialing') changeSubscription(context, subscription, { status: 'active' })
  } else if (subscription.status === 'incomplete') {
    return
  } else if (invoice.next_payment_attempt !== null) {
    changeSubscription(context, subscription, { status: 'past_due' })
  } else if (context.settings.afterLastRetry === 'unpaid') {
    changeSubscription(context, subscription, { status: 'unpaid' })
  } else {
    cancelSubscription(context, subscription, 'payment_failed')
  }
}
