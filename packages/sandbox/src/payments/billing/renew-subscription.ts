import type { PaymentsContext } from '../context.ts'
import { newInvoiceLine } from '../objects/new-invoice-line.ts'
import type { WireSubscription, WireSubscriptionItem } from '../wire.ts'
import { changeSubscription } from './changes.ts'
import { collectInvoice } from './collect-invoice.ts'
import { createInvoice } from './create-invoice.ts'
import { describeItem } from './describe.ts'
import { currentPeriodEnd } from './due.ts'
import { periodEnd } from './period.ts'
import { recurrenceOf } from './recurrence.ts'

/** Starts and charges the next period of a subscription. A trial ends this way, too. */
export function renewSubscription(context: PaymentsContext, subscription: WireSubscription): void {
  const start = currentPeriodEnd(subscription)
  const items = subscription.items.data.map((item) => nextPeriod(item, subscription.billing_cycle_anchor, start))
  const renewed: WireSubscription = {
    ...subscription,
    items: { ...subscription.items, data: items },
    status: subscription.status === 'trialing' ? 'active' : subscription.status
  }
  const pending = context.objects.get('pending_lines', subscription.id)?.lines ?? []
  context.objects.remove('pending_lines', subscription.id)
  const lines = items.map((item) =>
    newInvoiceLine({
      item,
      amount: (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
      description: describeItem(context, item),
      period: { start: item.current_period_start, end: item.current_period_end },
      isProration: false
    })
  )
  const invoice = createInvoice(context, {
    subscription: renewed,
    reason: 'subscription_cycle',
    lines: [...pending, ...lines],
    periodStart: Math.min(...subscription.items.data.map((item) => item.current_period_start)),
    periodEnd: start
  })
  const { items: period, status } = renewed
  changeSubscription(context, subscription, { items: period, status, latest_invoice: invoice.id })
  collectInvoice(context, invoice)
}

function nextPeriod(item: WireSubscriptionItem, anchorS: number, startS: number): WireSubscriptionItem {
  const recurrence = recurrenceOf(item.price)
  if (recurrence === null) throw new Error(`${item.price.id} does not recur.`)
  return {
    ...item,
    current_period_start: startS,
    current_period_end: periodEnd(anchorS, startS, recurrence)
  }
}
