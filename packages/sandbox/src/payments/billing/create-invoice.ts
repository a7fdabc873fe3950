import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import type { PaymentsContext } from '../context.ts'
import { type InvoiceDetails, newInvoice } from '../objects/new-invoice.ts'
import type { WireInvoice, WireSubscription } from '../wire.ts'
import { changeCustomer } from './changes.ts'

export interface InvoiceOrder extends Pick<InvoiceDetails, 'reason' | 'lines' | 'periodStart' | 'periodEnd'> {
  subscription: WireSubscription
}

/** Creates a finalized, unpaid invoice of a subscription. */
export function createInvoice(context: PaymentsContext, order: InvoiceOrder): WireInvoice {
  const { subscription, reason, lines, periodStart, periodEnd } = order
  const customer = context.objects.get('customer', subscription.customer)
  if (customer === null) throw new Error(`The customer of ${subscription.id} does not exist.`)
  const link = randomBase62(40)
  const invoice = newInvoice(
    {
      customer,
      subscription,
      reason,
      lines,
      currency: subscription.currency,
      periodStart,
      periodEnd,
      accountName: context.settings.businessName,
      taxPercent: context.settings.taxPercent,
      pageUrl: `${context.baseUrl()}/i/${link}`
    },
    context.clock.nowS()
  )
  context.objects.put('invoice', invoice)
  context.objects.put('invoice_link', { id: link, invoice: invoice.id })
  changeCustomer(context, customer, {
    balance: invoice.ending_balance ?? 0,
    currency: invoice.currency,
    next_invoice_sequence: (customer.next_invoice_sequence ?? 1) + 1
  })
  context.emit('invoice.created', invoice)
  context.emit('invoice.finalized', invoice)
  return invoice
}
