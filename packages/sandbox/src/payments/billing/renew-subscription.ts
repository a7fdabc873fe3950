import type { PaymentsContext } from '../context.ts'
import type { WireSubscription } from '../wire.ts'
import { changeSubscription } from './changes.ts'
import { collectInvoice } from './collect-invoice.ts'
import { createInvoice } from './create-invoice.ts'
import { nextRenewal } from './next-invoice.ts'

/** Starts and charges the next period of a subscription. A trial ends this way, too. */
export function renewSubscription(context: PaymentsContext, subscription: WireSubscription): void {
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
