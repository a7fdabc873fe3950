import { pricedRows } from '../meters/meters.ts'
import { type Fraction, multiplyUp, toFraction } from '../prices/factors.ts'
import type { ListedPrices, ModelPrices, PricePeriod } from '../prices/model-prices.ts'
import type { Catalog, Model, Target } from './catalog.ts'

/**
 * What customers pay, apart from what providers bill.
 *
 * `charge = list rate × multiplier of the price group`. The list rates of a model are its `retail`, else its `prices`,
 * which are what its providers bill by default. Each product is rounded up to whole picodollars (1e-12 USD) per unit,
 * and those are the rates of the receipt: the charge of a request can be computed from its receipt alone.
 */

/** A price group, with the factor of all list prices. */
export interface PriceGroup {
  readonly name: string
  readonly multiplier: number
}

/**
 * The price group of an account: the operator's for the account, else its plan's. A group that the catalog no longer
 * has does not count.
 *
 * @returns null for no group: the list prices are what it pays
 */
export function priceGroupOf(
  { priceGroups = {} }: Pick<Catalog, 'priceGroups'>,
  ofAccount: string | undefined,
  ofPlan: string | undefined
): PriceGroup | null {
  for (const name of [ofAccount, ofPlan]) {
    if (name !== undefined && Object.hasOwn(priceGroups, name)) return { name, multiplier: priceGroups[name]! }
  }
  return null
}

type Sold = Pick<Model, 'prices' | 'retail'>

/** The list prices of a model: what an account without a price group pays. */
export const listPrices = ({ retail, prices }: Sold): ModelPrices => retail ?? prices

/** Multiplied prices of the catalogs in force, by group. */
const multiplied = new WeakMap<ModelPrices, Map<string, ModelPrices>>()

/**
 * What customers of a price group pay for a model. Equal arguments get the same object. It is the model's `prices`
 * itself if customers pay what providers bill.
 */
export function chargedPrices(model: Sold, group: PriceGroup | null): ModelPrices {
  const list = listPrices(model)
  if (group === null || group.multiplier === 1) return list
  const { name, multiplier } = group
  let byGroup = multiplied.get(list)
  if (byGroup === undefined) {
    byGroup = new Map()
    multiplied.set(list, byGroup)
  }
  const id = `${name} ${multiplier}`
  let prices = byGroup.get(id)
  if (prices === undefined) {
    prices = timesPrices(list, multiplier)
    byGroup.set(id, prices)
  }
  return prices
}

/**
 * Whether a request is charged by the rates of its admission, also if they change before its end. Where customers pay
 * what providers bill, the dearer rates count, as providers do not say which ones they use.
 *
 * @param charged from {@link chargedPrices}
 */
export const hasRatesOfAdmission = (charged: ModelPrices, { prices }: Pick<Model, 'prices'>): boolean =>
  charged !== prices

/** What a provider bills for a model at a target of its route. */
export const billedPrices = ({ prices }: Pick<Model, 'prices'>, target: Target | undefined): ModelPrices =>
  target?.prices ?? prices

/** Whether an upstream of a route bills another amount than the model's `prices`. */
export const hasOwnBills = ({ route }: Pick<Model, 'route'>): boolean => route.some(isBilledApart)

const isBilledApart = ({ prices }: Target): boolean => prices !== undefined

/** All prices of a model times a factor: each price is rounded up to its smallest unit. */
export function timesPrices(prices: ModelPrices, factor: number): ModelPrices {
  const fraction = [toFraction(factor)]
  const { periods, requestNanos, callNanos, listDifferences: _ofTheList, ...rest } = prices
  return {
    ...rest,
    ...timesListed(prices, fraction),
    ...(periods !== undefined && { periods: periods.map((period) => timesPeriod(period, fraction)) }),
    ...(requestNanos !== undefined && { requestNanos: multiplyUp(requestNanos, fraction) }),
    ...(callNanos !== undefined && {
      callNanos: Object.fromEntries(
        Object.entries(callNanos).map(([type, nanos]) => [type, multiplyUp(nanos, fraction)])
      )
    })
  }
}

const timesPeriod = (period: PricePeriod, factor: readonly Fraction[]): PricePeriod => ({
  ...period,
  rows: period.rows.map((row) => ({ ...row, prices: timesListed(row.prices, factor) }))
})

function timesListed(listed: ListedPrices, factor: readonly Fraction[]): ListedPrices {
  const product: Partial<ListedPrices> = {}
  for (const { member } of pricedRows) {
    const picos = listed[member]
    if (picos !== undefined) product[member] = multiplyUp(picos, factor)
  }
  return product as ListedPrices
}
