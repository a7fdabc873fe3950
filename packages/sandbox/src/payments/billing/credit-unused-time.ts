import type { PaymentsContext } from '../context.ts'
import type { WireSubscription } from '../wire.ts'
import { collectInvoice } from './collect-invoice.ts'
import { createInvoice } from './create-invoice.ts'
import { productName } from './describe.ts'
import { creditLines } from './plan-switch.ts'

/** Credits the customer for the paid time that an ended subscription has left, by an invoice below zero. */
export function creditUnusedTime(context: PaymentsContext, subscription: WireSubscription): void {
  const nowS = context.clock.nowS()
  const lines = creditLines(subscription, (price) => productName(context, price), nowS)
  const invoice = createInvoice(context, {
    subscription,
    reason: 'subscription_update',
    lines,
    periodStart: nowS,
    periodEnd: nowS
  })
  collectInvoice(context, invoice)
}
