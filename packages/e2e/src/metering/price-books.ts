import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { pricedRows } from '@tollgate/contracts/meters/meters.ts'
import type { ListedPrices, ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { planOf } from './catalog.ts'
import { meteredModels } from './kinds/kind.ts'

/** A catalog, the accounts that use it, and what each pays, computed without the code under test. */
export interface PriceBook {
  readonly catalog: Catalog
  /** The record of the account with this number. */
  accountOf(number: number): Partial<AccountRecord>
  /** What an account pays for a model, and what its provider bills. */
  pricesOf(
    model: string,
    account: Partial<AccountRecord>
  ): { readonly charged: ModelPrices; readonly billed: ModelPrices }
}

/** Everybody pays what providers bill. */
export const plainBook: PriceBook = {
  catalog: { models: meteredModels, plans: { free: planOf(meteredModels) } },
  accountOf: () => ({}),
  pricesOf: (model) => ({ charged: meteredModels[model]!.prices, billed: meteredModels[model]!.prices })
}

/** A decimal: `0.85` is 85 in 100. */
type Decimal = readonly [digits: bigint, per: bigint]

const groups: Readonly<Record<string, Decimal>> = { partner: [85n, 100n], dear: [1337n, 1000n], plain: [1n, 1n] }
/** Of accounts, one after the other; the first ones have that of their plan. */
const ownGroups = [undefined, 'dear', 'plain', undefined] as const
const planGroup = 'partner'

const timesUp = (price: number, [digits, per]: Decimal): number => Number((BigInt(price) * digits + per - 1n) / per)

function times(prices: ModelPrices, factor: Decimal): ModelPrices {
  const listed = (of: ListedPrices) => {
    const product: Record<string, number> = {}
    for (const { member } of pricedRows) if (of[member] !== undefined) product[member] = timesUp(of[member]!, factor)
    return product as ListedPrices
  }
  const { periods, requestNanos = 0, callNanos = {} } = prices
  return {
    ...listed(prices),
    ...(periods !== undefined && {
      periods: periods.map((period) => ({
        ...period,
        rows: period.rows.map((row) => ({ ...row, prices: listed(row.prices) }))
      }))
    }),
    requestNanos: timesUp(requestNanos, factor),
    callNanos: Object.fromEntries(Object.entries(callNanos).map(([type, nanos]) => [type, timesUp(nanos, factor)]))
  }
}

const firstPeriod = (prices: ModelPrices) =>
  prices.periods?.[0] ?? { rows: [{ tier: 'default', abovePromptTokens: 0, prices }] }

const longAgo = Date.parse('2026-01-01') / 1000
const farAway = Date.parse('2096-01-01') / 1000

/** How models are sold, one after the other. */
const sales: ReadonlyArray<
  (prices: ModelPrices) => { listed: ModelPrices; retail?: ModelPrices; bills?: ModelPrices }
> = [
  // At a list price that has changed, and that will change again.
  (prices) => {
    const listed = times(prices, [5n, 2n])
    const periods = [
      firstPeriod(times(prices, [9n, 1n])),
      { ...firstPeriod(listed), from: longAgo },
      { ...firstPeriod(times(prices, [7n, 1n])), from: farAway }
    ]
    return { listed, retail: { ...listed, periods } }
  },
  // At what the provider bills, while another price is that of this upstream.
  (prices) => ({ listed: prices, bills: times(prices, [11n, 10n]) }),
  (prices) => ({ listed: prices }),
  // For nothing.
  (prices) => ({ listed: times(prices, [0n, 1n]), retail: times(prices, [0n, 1n]) })
]

const sold = Object.fromEntries(
  Object.entries(meteredModels).map(([name, model], number) => [
    name,
    { model, ...sales[number % sales.length]!(model.prices) }
  ])
)
const soldModels: Catalog['models'] = Object.fromEntries(
  Object.entries(sold).map(([name, { model, retail, bills }]) => [
    name,
    {
      ...model,
      ...(retail !== undefined && { retail }),
      route: model.route.map((target) => ({ ...target, ...(bills !== undefined && { prices: bills }) }))
    }
  ])
)

/** Retail prices, price groups of plans and accounts, free models, and upstreams with prices of their own. */
export const soldBook: PriceBook = {
  catalog: {
    models: soldModels,
    plans: { free: { ...planOf(soldModels), priceGroup: planGroup } },
    priceGroups: Object.fromEntries(
      Object.entries(groups).map(([name, [digits, per]]) => [name, Number(digits) / Number(per)])
    )
  },
  accountOf(number) {
    const priceGroup = ownGroups[number % ownGroups.length]
    return priceGroup === undefined ? {} : { override: { limits: { priceGroup, until: null } } }
  },
  pricesOf(model, { override }) {
    const { listed, bills, model: of } = sold[model]!
    return { charged: times(listed, groups[override?.limits?.priceGroup ?? planGroup]!), billed: bills ?? of.prices }
  }
}
