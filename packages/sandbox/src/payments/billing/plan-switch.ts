import { newInvoiceLine } from '../objects/new-invoice-line.ts'
import { planOf } from '../objects/new-price.ts'
import { newItem } from '../objects/new-subscription.ts'
import type { Metadata, WireInvoiceLine, WirePrice, WireSubscription, WireSubscriptionItem } from '../wire.ts'
import { formatDay } from './describe.ts'
import { currentPeriodEnd } from './due.ts'
import { periodEnd } from './period.ts'
import { recurrenceOf, recurTogether } from './recurrence.ts'

/** A wanted change: of the item with this id, or a new item if the id is null. */
export interface WantedItem {
  id: string | null
  price: WirePrice | null
  quantity: number | null
  isDeleted: boolean
  metadata?: Metadata
}

export interface SwitchPlan {
  items: WireSubscriptionItem[]
  /** The credit for unused time, and the price of the remaining time. */
  lines: Omit<WireInvoiceLine, 'invoice'>[]
  /** Whether a new period starts now and is charged at once, because the new prices recur at other times. */
  startsPeriod: boolean
}

export type Refusal = 'no_items' | 'mixed_intervals'

/**
 * Computes what a change of items costs in the middle of a period. Time is charged by the second; a trial is free, so it
 * needs no proration.
 *
 * @param nameOf returns the product name of a price
 */
export function planSwitch(
  subscription: WireSubscription,
  wanted: readonly WantedItem[],
  nameOf: (price: WirePrice) => string,
  nowS: number
): SwitchPlan | Refusal {
  const before = subscription.items.data
  const kept = before.flatMap((item) => {
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
  const after = [...kept, ...added]
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
export function creditLines(
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
