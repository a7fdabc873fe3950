import { type TNumber, type TObjectOptions, type TUnsafe, Type } from 'typebox'
import { type PricedRow, type PriceKind, pricedUnits, type UnitName, units } from '../meters/meters.ts'
import type { ListedPrices } from './model-prices.ts'

/**
 * Prices as people write and read them: dollars by unit and kind, such as `usd_per_million_tokens.input`. The catalog
 * file and the lists of models have them so.
 */

type TokenPrices<Basic extends PriceKind> = Record<Basic, number> & {
  [Kind in Exclude<PriceKind, Basic>]?: number
}

/**
 * Schemas of the members of a model with its prices, one for each unit. Units other than tokens may be left out.
 *
 * @param basic the kinds that every model has
 */
export function usdMembers<const Basic extends PriceKind>(
  Usd: TNumber,
  basic: readonly Basic[],
  options: TObjectOptions = {}
) {
  const isBasic = (kind: PriceKind): boolean => (basic as readonly PriceKind[]).includes(kind)
  const ofKinds = (rows: readonly PricedRow[]) =>
    Type.Object(Object.fromEntries(rows.map(({ kind }) => [kind, isBasic(kind) ? Usd : Type.Optional(Usd)])), options)
  const members = pricedUnits.map(([unit, rows]) => [
    units[unit].prices,
    unit === 'token' ? ofKinds(rows) : Type.Optional(ofKinds(rows))
  ])
  return Object.fromEntries(members) as { usd_per_million_tokens: TUnsafe<TokenPrices<Basic>> }
}

/** How many picodollars a unit costs for each dollar of its price. */
export const picosPerUsd = (unit: UnitName): number => 1e12 / units[unit].per

/** The prices that a model has, in dollars. */
export function toUsd(listed: ListedPrices): {
  usd_per_million_tokens: TokenPrices<'input' | 'cached_input' | 'output'>
} {
  const members = pricedUnits.flatMap(([unit, rows]) => {
    const prices = rows.flatMap(({ kind, member }) => {
      const picos = listed[member]
      return picos === undefined ? [] : [[kind, picos / picosPerUsd(unit)] as const]
    })
    return prices.length === 0 ? [] : [[units[unit].prices, Object.fromEntries(prices)] as const]
  })
  return Object.fromEntries(members) as ReturnType<typeof toUsd>
}
