import { inTransaction } from '../open-sqlite.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { changeInvoice, changeSubscription } from './changes.ts'
import { collectInvoice } from './collect-invoice.ts'
import type { PaymentsContext } from './context.ts'
import { nextRenewal } from './invoices.ts'
import { createInvoice } from './new-invoice.ts'
import type { Due } from './object-store.ts'
import type { WireCheckoutSession, WireSubscription } from './wire.ts'

/**
 * Runs everything that is due until `untilS` (Unix seconds), in order, each at its own time: sessions expire,
 * subscriptions renew or end, failed payments are retried.
 */
export function runDue(context: PaymentsContext, untilS: number): void {
  for (let due = context.objects.nextDue(untilS); due !== null; due = context.objects.nextDue(untilS)) {
    const now: Due = due
    context.clock.at(now.dueS, () => inTransaction(context.database, () => run(context, now)))
  }
}

function run(context: PaymentsContext, { kind, id }: Due): void {
  if (kind === 'checkout.session') {
    const session = context.objects.get(kind, id)
    if (session !== null) expireSession(context, session)
  } else if (kind === 'subscription') {
    const subscription = context.objects.get(kind, id)
    if (subscription !== null) runSubscription(context, subscription)
  } else if (kind === 'invoice') {
    const invoice = context.objects.get(kind, id)
    if (invoice !== null) collectInvoice(context, invoice)
  }
}

/** Expires a session, which can no longer be paid. */
export function expireSession(context: PaymentsContext, session: WireCheckoutSession): WireCheckoutSession {
  const expired: WireCheckoutSession = { ...session, status: 'expired', url: null }
  context.objects.put('checkout.session', expired)
  context.emit('checkout.session.expired', expired)
  return expired
}

function runSubscription(context: PaymentsContext, subscription: WireSubscription): void {
  const { status, cancel_at } = subscription
  if (status === 'incomplete') {
    expireIncomplete(context, subscription)
  } else if (cancel_at !== null && cancel_at <= context.clock.nowS()) {
    cancelSubscription(context, subscription, 'cancellation_requested')
  } else {
    renewSubscription(context, subscription)
  }
}

function expireIncomplete(context: PaymentsContext, subscription: WireSubscription): void {
  const invoice = context.objects.get('invoice', subscription.latest_invoice ?? '')
  if (invoice !== null && invoice.status === 'open') {
    changeInvoice(context, invoice, {
      status: 'void',
      status_transitions: { ...invoice.status_transitions, voided_at: context.clock.nowS() }
    })
  }
  changeSubscription(context, subscription, { status: 'incomplete_expired', ended_at: context.clock.nowS() })
}

/** Starts and charges the next period of a subscription. A trial ends this way, too. */
function renewSubscription(context: PaymentsContext, subscription: WireSubscription): void {
  const { at, items, lines, periodStart } = nextRenewal(context, subscription)
  const renewed: WireSubscription = {
    ...subscription,
    items: { ...subscription.items, data: items },
    status: subscription.status === 'trialing' ? 'active' : subscription.status
  }
  context.objects.remove('pending_lines', subscription.id)
  const invoice = createInvoice(context, {
    subscription: renewed,
    reason: 'subscription_cycle',
    lines,
    periodStart,
    periodEnd: at
  })
  const { items: period, status } = renewed
  changeSubscription(context, subscription, { items: period, status, latest_invoice: invoice.id })
  collectInvoice(context, invoice)
}
