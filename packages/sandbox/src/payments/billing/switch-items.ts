import type { PaymentsContext } from '../context.ts'
import { cardDeclined, invalidRequest } from '../errors.ts'
import type { WireSubscription } from '../wire.ts'
import { changeSubscription } from './changes.ts'
import { canCharge, collectInvoice } from './collect-invoice.ts'
import { createInvoice } from './create-invoice.ts'
import { productName } from './describe.ts'
import { planSwitch, type SwitchPlan, type WantedItem } from './plan-switch.ts'

export type Proration = 'create_prorations' | 'always_invoice' | 'none'

export interface SwitchOptions {
  /** How the difference is charged: on the next invoice, at once, or not at all. */
  proration: Proration
  /** Refuses the change if the card is declined. If false, the subscription becomes past due instead. */
  failsIfUnpaid: boolean
}

/**
 * Changes the items of a subscription at once.
 *
 * @throws StripeApiError 400 for items with different intervals; 402 if the card is declined and `failsIfUnpaid` is set
 */
export function switchItems(
  context: PaymentsContext,
  subscription: WireSubscription,
  wanted: readonly WantedItem[],
  { proration, failsIfUnpaid }: SwitchOptions
): WireSubscription {
  const nowS = context.clock.nowS()
  const plan = planSwitch(subscription, wanted, (price) => productName(context, price), nowS)
  if (plan === 'no_items') throw invalidRequest('A subscription must have at least one active plan.')
  if (plan === 'mixed_intervals') {
    throw invalidRequest('Currently, all prices of a subscription must have the same interval.', { param: 'items' })
  }
  const lines = proration === 'none' ? plan.lines.filter(({ amount }) => plan.startsPeriod && amount > 0) : plan.lines
  const isInvoiced = lines.length > 0 && (plan.startsPeriod || proration === 'always_invoice')
  const total = lines.reduce((sum, line) => sum + line.amount, 0)
  if (failsIfUnpaid && isInvoiced && total > 0 && !canCharge(context, subscription)) {
    throw cardDeclined('Your card was declined.', 'generic_decline')
  }
  const changed: WireSubscription = {
    ...subscription,
    items: { ...subscription.items, data: plan.items },
    billing_cycle_anchor: plan.startsPeriod ? nowS : subscription.billing_cycle_anchor
  }
  if (!isInvoiced) {
    if (lines.length > 0) addPendingLines(context, subscription.id, lines)
    return changeSubscription(context, subscription, changed)
  }
  const pending = context.objects.get('pending_lines', subscription.id)?.lines ?? []
  context.objects.remove('pending_lines', subscription.id)
  const invoice = createInvoice(context, {
    subscription: changed,
    reason: 'subscription_update',
    lines: [...pending, ...lines],
    periodStart: nowS,
    periodEnd: nowS
  })
  changeSubscription(context, subscription, { ...changed, latest_invoice: invoice.id })
  collectInvoice(context, invoice)
  return context.objects.get('subscription', subscription.id) ?? changed
}

function addPendingLines({ objects }: PaymentsContext, subscription: string, lines: SwitchPlan['lines']): void {
  const earlier = objects.get('pending_lines', subscription)?.lines ?? []
  const added = lines.map((line) => ({ ...line, invoice: null }))
  objects.put('pending_lines', { id: subscription, lines: [...earlier, ...added] })
}
