import type { WireInvoiceLine, WireSubscriptionItem } from '../wire.ts'
import { newId } from './new-id.ts'

export interface LineDetails {
  item: WireSubscriptionItem
  amount: number
  description: string
  /** Unix seconds. */
  period: { start: number; end: number }
  isProration: boolean
}

export function newInvoiceLine(details: LineDetails): Omit<WireInvoiceLine, 'invoice'> {
  const { item, amount } = details
  const quantity = item.quantity ?? 1
  return {
    id: newId('il'),
    object: 'line_item',
    amount,
    currency: item.price.currency,
    description: details.description,
    discount_amounts: [],
    discountable: !details.isProration,
    discounts: [],
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: details.isProration,
        proration_details: null,
        subscription: item.subscription,
        subscription_item: item.id
      },
      type: 'subscription_item_details'
    },
    period: details.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: 'price_details',
      unit_amount_decimal: item.price.unit_amount_decimal
    },
    quantity,
    quantity_decimal: String(quantity),
    subscription: item.subscription,
    subtotal: amount,
    taxes: []
  }
}
