import type { PaymentsContext } from '../context.ts'
import { newInvoiceLine } from '../objects/new-invoice-line.ts'
import { newSubscription } from '../objects/new-subscription.ts'
import type { Metadata, WireInvoice, WirePrice, WireSubscription, WireSubscriptionItem } from '../wire.ts'
import { changeSubscription } from './changes.ts'
import { collectInvoice, markPaid } from './collect-invoice.ts'
import { createInvoice } from './create-invoice.ts'
import { describeItem, productName } from './describe.ts'
import { periodEnd } from './period.ts'
import { recurrenceOf } from './recurrence.ts'

export interface SubscribeOrder {
  customer: string
  items: readonly { price: WirePrice; quantity: number; metadata?: Metadata }[]
  metadata: Metadata
  description: string | null
  defaultPaymentMethod: string | null
  /** 0: no trial. */
  trialDays: number
  /** `paid`: the customer has just paid. `charge`: charge the card now. `later`: not paid yet. */
  firstPayment: 'paid' | 'charge' | 'later'
}

const dayS = 86_400

/** Creates a subscription with its first invoice. It stays `incomplete` until the invoice is paid. */
export function subscribe(
  context: PaymentsContext,
  order: SubscribeOrder
): { subscription: WireSubscription; invoice: WireInvoice } {
  const nowS = context.clock.nowS()
  const trialEnd = order.trialDays > 0 ? nowS + order.trialDays * dayS : null
  const created = newSubscription({ ...order, trialEnd, periodEnd: trialEnd ?? firstPeriodEnd(order, nowS) }, nowS)
  const subscription: WireSubscription = trialEnd === null ? created : { ...created, status: 'trialing' }
  context.objects.put('subscription', subscription)
  context.emit('customer.subscription.created', subscription)
  const lines = subscription.items.data.map((item) => lineOf(context, item, trialEnd !== null))
  const open = createInvoice(context, {
    subscription,
    reason: 'subscription_create',
    lines,
    periodStart: nowS,
    periodEnd: nowS
  })
  const invoiced = changeSubscription(context, subscription, { latest_invoice: open.id })
  if (order.firstPayment === 'later' && open.amount_due > 0) return { subscription: invoiced, invoice: open }
  if (order.firstPayment === 'charge') {
    const invoice = collectInvoice(context, open)
    return { subscription: context.objects.get('subscription', invoiced.id) ?? invoiced, invoice }
  }
  const invoice = markPaid(context, open)
  if (trialEnd !== null) return { subscription: invoiced, invoice }
  return { subscription: changeSubscription(context, invoiced, { status: 'active' }), invoice }
}

function firstPeriodEnd({ items }: SubscribeOrder, nowS: number): number {
  const recurrence = items[0] === undefined ? null : recurrenceOf(items[0].price)
  if (recurrence === null) throw new Error('A subscription needs a recurring price.')
  return periodEnd(nowS, nowS, recurrence)
}

function lineOf(context: PaymentsContext, item: WireSubscriptionItem, isTrial: boolean) {
  return newInvoiceLine({
    item,
    amount: isTrial ? 0 : (item.price.unit_amount ?? 0) * (item.quantity ?? 1),
    description: isTrial ? `Trial period for ${productName(context, item.price)}` : describeItem(context, item),
    period: { start: item.current_period_start, end: item.current_period_end },
    isProration: false
  })
}
