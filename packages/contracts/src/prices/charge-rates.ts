import { type PricedRow, type PriceKind, type PriceMember, pricedRows, wholes } from '../meters/meters.ts'
import type { ListedPrices, ModelPrices } from './model-prices.ts'

/** Kinds of usage that may lack a price, by the names that the catalog file has. */
export type UnpricedKind = PriceKind | 'calls' | 'service_tier'

/** A price for every meter. */
export interface ChargeRates extends Required<ListedPrices> {
  requestNanos: number
  callNanos: Readonly<Record<string, number>>
  /** For calls of tools without a price of their own. */
  dearestCallNanos: number
}

/** The prices of all meters. */
export const priceMembers: readonly PriceMember[] = pricedRows.map(({ member }) => member)

const noCalls: Readonly<Record<string, number>> = {}

/** Completes prices: a meter without a price costs what its row says. */
export function completeRates(
  listed: ListedPrices,
  { requestNanos = 0, callNanos = noCalls }: Pick<ModelPrices, 'requestNanos' | 'callNanos'>
): ChargeRates {
  const rates = {} as Record<PriceMember, number>
  for (const whole of wholes) {
    const rows = [whole, ...whole.parts]
    const dearest = rows.reduce((most, { member }) => Math.max(most, listed[member] ?? 0), 0)
    const ofWhole = listed[whole.member] ?? 0
    const otherwise = ({ otherwise }: PricedRow): number =>
      otherwise === 'dearest' ? dearest : otherwise === 'whole' ? ofWhole : 0
    for (const row of rows) rates[row.member] = listed[row.member] ?? otherwise(row)
  }
  const dearestCallNanos = Object.values(callNanos).reduce((most, nanos) => Math.max(most, nanos), 0)
  return { ...rates, requestNanos, callNanos, dearestCallNanos }
}

/** The dearer price of each kind. Both are of one model. */
export function dearerRates(one: ChargeRates, other: ChargeRates): ChargeRates {
  if (one === other) return one
  const dearer = { ...one }
  for (const member of priceMembers) dearer[member] = Math.max(one[member], other[member])
  return dearer
}
