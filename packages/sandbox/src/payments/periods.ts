import type { PaymentsContext } from './context.ts'
import type { Kind, Kinds } from './object-store.ts'
import type { Interval } from './prices.ts'
import type { WireCheckoutSession, WireInvoice, WirePrice, WireSubscription, WireSubscriptionItem } from './wire.ts'

/** The time for the first payment, as at Stripe. */
const incompleteS = 23 * 3_600

const intervals: readonly Interval[] = ['month', 'year']

const dayS = 86_400

/**
 * Computes the end of the period that contains `startS`. Periods are counted from `anchorS`. They end on the anchor's
 * day of the month, or on the last day of a shorter month, in UTC.
 *
 * @param anchorS at or before `startS`; all in Unix seconds
 */
export function periodEnd(anchorS: number, startS: number, interval: Interval): number {
  const months = interval === 'year' ? 12 : 1
  let count = 1
  while (addMonths(anchorS, count * months) <= startS) count++
  return addMonths(anchorS, count * months)
}

function addMonths(startS: number, months: number): number {
  const start = new Date(startS * 1000)
  const year = start.getUTCFullYear()
  const month = start.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(start.getUTCDate(), lastDay)
  const ofDayS = startS - Math.floor(startS / dayS) * dayS
  return Date.UTC(year, month, day) / 1000 + ofDayS
}

/** How often a price recurs; null for a one-time price. */
export function recurrenceOf({ recurring }: WirePrice): Interval | null {
  if (recurring === null) return null
  const interval = intervals.find((candidate) => candidate === recurring.interval)
  if (interval === undefined) throw new Error(`${recurring.interval} is not an interval.`)
  return interval
}

/** Whether the prices recur at the same times, as one subscription requires. */
export function recurTogether(prices: readonly WirePrice[]): boolean {
  return new Set(prices.map(recurrenceOf)).size <= 1
}

/** When the server must next act on an object, in Unix seconds; null: never. */
export function dueOf<K extends Kind>(kind: K, object: Kinds[K]): number | null {
  if (kind === 'checkout.session') return dueOfSession(object as WireCheckoutSession)
  if (kind === 'subscription') return dueOfSubscription(object as WireSubscription)
  if (kind === 'invoice') return dueOfInvoice(object as WireInvoice)
  return null
}

function dueOfSession(session: WireCheckoutSession): number | null {
  return session.status === 'open' ? session.expires_at : null
}

function dueOfSubscription(subscription: WireSubscription): number | null {
  const { status, cancel_at } = subscription
  if (status === 'incomplete') return subscription.created + incompleteS
  if (status === 'unpaid' || status === 'paused') return cancel_at
  if (status !== 'active' && status !== 'trialing' && status !== 'past_due') return null
  return Math.min(currentPeriodEnd(subscription), cancel_at ?? Number.POSITIVE_INFINITY)
}

function dueOfInvoice(invoice: WireInvoice): number | null {
  return invoice.status === 'open' ? invoice.next_payment_attempt : null
}

/** When the subscription renews next, in Unix seconds. All its items share one period. */
export function currentPeriodEnd(subscription: WireSubscription): number {
  return Math.min(...subscription.items.data.map((item) => item.current_period_end))
}

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
