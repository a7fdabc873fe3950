import type { PaymentsContext } from '../context.ts'
import type { WirePrice, WireSubscriptionItem } from '../wire.ts'

/** Formats an amount, given in the smallest unit of the currency: `$20.00`. */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(amount / 10 ** digits)
}

/** Formats a day: `21 November 2026`. */
export function formatDay(timeS: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(timeS * 1000)
}

/** `$20.00 per month` */
export function describePrice({ unit_amount, currency, recurring }: WirePrice): string {
  const amount = formatAmount(unit_amount ?? 0, currency)
  return recurring === null ? amount : `${amount} per ${recurring.interval}`
}

export function productName({ objects }: PaymentsContext, price: WirePrice): string {
  return objects.get('product', price.product)?.name ?? price.product
}

/** Describes an item of an invoice: `1 × Pro (at $20.00 per month)`. */
export function describeItem(context: PaymentsContext, { price, quantity = 1 }: WireSubscriptionItem): string {
  return `${quantity} × ${productName(context, price)} (at ${describePrice(price)})`
}
