import { changeSubscription } from './changes.ts'
import { canCharge, collectInvoice } from './collect-invoice.ts'
import type { PaymentsContext } from './context.ts'
import { cardDeclined, invalidRequest } from './errors.ts'
import { createInvoice, newInvoiceLine } from './new-invoice.ts'
import { newItem } from './new-subscription.ts'
import { currentPeriodEnd, formatDay, periodEnd, productName, recurrenceOf, recurTogether } from './periods.ts'
import { planOf } from './prices.ts'
import type { Metadata, WireInvoiceLine, WirePrice, WireSubscription, WireSubscriptionItem } from './wire.ts'

/** A wanted change: of the item with this id, or a new item if the id is null. */
interface WantedItem {
  id: string | null
  price: WirePrice | null
  quantity: number | null
  isDeleted: boolean
  metadata?: Metadata
}

interface SwitchPlan {
  items: WireSubscriptionItem[]
  /** The credit for unused time, and the price of the remaining time. */
  lines: Omit<WireInvoiceLine, 'invoice'>[]
  /** Whether a new period starts now and is charged at once, because the new prices recur at other times. */
  startsPeriod: boolean
}

export type Refusal = 'no_items' | 'mixed_intervals'

/**
 * Computes what a change of items costs in the middle of a period. Time is charged by the second; a trial is free, so
 * it needs no proration.
 *
 * @param nameOf returns the product name of a price
 */
function planSwitch(
  subscription: WireSubscription,
  wanted: readonly WantedItem[],
  nameOf: (price: WirePrice) => string,
  nowS: number
): SwitchPlan | Refusal {
  const before = subscription.items.data
  const remainder = before.flatMap((item) => {
    const change = wanted.find(({ id }) => id === item.id)
    if (change === undefined) return [item]
    return change.isDeleted ? [] : [changeItem(item, change)]
  })
  const start = Math.min(...before.map((item) => item.current_period_start))
  const end = currentPeriodEnd(subscription)
  const added = wanted.flatMap(({ id, price, quantity, metadata }) =>
    id === null && price !== null
      ? [newItem(subscription.id, { price, quantity: quantity ?? 1, metadata: metadata ?? {} }, start, end)]
      : []
  )
  const after = [...remainder, ...added]
  const [first] = after
  if (first === undefined) return 'no_items'
  if (!recurTogether(after.map(({ price }) => price))) return 'mixed_intervals'

  const isTrial = subscription.status === 'trialing'
  const startsPeriod = !isTrial && !recurTogether([first.price, ...before.map(({ price }) => price)])
  const recurrence = recurrenceOf(first.price)
  const period =
    startsPeriod && recurrence !== null ? { start: nowS, end: periodEnd(nowS, nowS, recurrence) } : { start, end }
  const items = after.map((item) => ({
    ...item,
    current_period_start: period.start,
    current_period_end: period.end
  }))
  if (isTrial) return { items, lines: [], startsPeriod: false }

  const share = end > start ? Math.max(0, (end - nowS) / (end - start)) : 0
  const credited = before.filter((item) => startsPeriod || !after.some((other) => isSame(item, other)))
  const charged = items.filter((item) => startsPeriod || !before.some((other) => isSame(item, other)))
  const lines = [
    ...credited.map((item) =>
      prorated(item, -share, `Unused time on ${nameOf(item.price)} after ${formatDay(nowS)}`, nowS, end)
    ),
    ...charged.map((item) =>
      startsPeriod
        ? prorated(item, 1, `${item.quantity ?? 1} × ${nameOf(item.price)}`, nowS, period.end)
        : prorated(item, share, `Remaining time on ${nameOf(item.price)} after ${formatDay(nowS)}`, nowS, end)
    )
  ]
  return { items, lines, startsPeriod }
}

function changeItem(item: WireSubscriptionItem, { price, quantity, metadata }: WantedItem): WireSubscriptionItem {
  const chosen = price ?? item.price
  return {
    ...item,
    price: chosen,
    plan: planOf(chosen),
    quantity: quantity ?? item.quantity ?? 1,
    metadata: metadata ?? item.metadata
  }
}

/** The credit for the unused time of all items. */
function creditLines(
  { items }: WireSubscription,
  nameOf: (price: WirePrice) => string,
  nowS: number
): SwitchPlan['lines'] {
  return items.data.map((item) => {
    const { current_period_start: start, current_period_end: end } = item
    const share = end > start ? Math.max(0, (end - nowS) / (end - start)) : 0
    return prorated(item, -share, `Unused time on ${nameOf(item.price)} after ${formatDay(nowS)}`, nowS, end)
  })
}

function prorated(item: WireSubscriptionItem, share: number, description: string, start: number, end: number) {
  const amount = Math.round((item.price.unit_amount ?? 0) * (item.quantity ?? 1) * share)
  return newInvoiceLine({ item, amount, description, period: { start, end }, isProration: true })
}

function isSame(a: WireSubscriptionItem, b: WireSubscriptionItem): boolean {
  return a.id === b.id && a.price.id === b.price.id && a.quantity === b.quantity
}

export type Proration = 'create_prorations' | 'always_invoice' | 'none'

interface SwitchOptions {
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
