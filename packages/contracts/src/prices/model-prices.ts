import { type Static, type TNumber, type TObjectOptions, type TOptional, type TUnsafe, Type } from 'typebox'
import {
  type BasicPrice,
  type PriceKind,
  type PriceMember,
  pricedRows,
  pricedUnits,
  type UnitName,
  units
} from '../meters/meters.ts'

/** Whole picodollars (1e-12 USD) per unit: USD 0.075 per million tokens is 75,000. */
const Picos = Type.Integer({ minimum: 0 })
/** Whole nanodollars (1e-9 USD). */
const Nanos = Type.Integer({ minimum: 0 })
/** Unix seconds. */
const Time = Type.Integer({ minimum: 0 })

type OptionalPrice = Exclude<PriceMember, BasicPrice>

/** A price of each meter. Without one, see `otherwise` in meters/meters.ts. */
const listed = Object.fromEntries(
  pricedRows.map(({ member, otherwise }) => [member, otherwise === undefined ? Picos : Type.Optional(Picos)])
) as Record<BasicPrice, typeof Picos> & Record<OptionalPrice, TOptional<typeof Picos>>

export const ListedPrices = Type.Object(listed)
export type ListedPrices = Static<typeof ListedPrices>

/**
 * The prices of one service tier, for prompts above a length. Of several rows of a tier, the longest length applies.
 */
export const PriceRow = Type.Object({
  tier: Type.String(),
  abovePromptTokens: Type.Integer({ minimum: 0 }),
  prices: ListedPrices
})
export type PriceRow = Static<typeof PriceRow>

/** When prices apply. All parts of it must hold; absent parts always hold. Times are UTC. */
export const PricePeriod = Type.Object({
  from: Type.Optional(Time),
  /** The first second after it. */
  until: Type.Optional(Time),
  /** 0 is Sunday. */
  weekdays: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 6 }))),
  /** Minutes of the day: the first one, and the first one after them. */
  minutes: Type.Optional(Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]))),
  rows: Type.Array(PriceRow, { minItems: 1 })
})
export type PricePeriod = Static<typeof PricePeriod>

/** Why a price differs from a public price list. */
export const ListDifference = Type.Object({
  /** The kind, by its name in the catalog file; absent for a model that the list does not have. */
  kind: Type.Optional(Type.String()),
  /** The list's price that is known to differ, USD per million tokens; absent if the list has none. */
  listUsd: Type.Optional(Type.Number({ minimum: 0 })),
  because: Type.String()
})
export type ListDifference = Static<typeof ListDifference>

/**
 * What a model costs. The outer prices of meters are those of the standard tier and short prompts, without `periods`.
 */
export const ModelPrices = Type.Object({
  ...listed,
  /** The last period that applies counts; the first one always applies. Absent if the outer prices always apply. */
  periods: Type.Optional(Type.Array(PricePeriod, { minItems: 1 })),
  /** For each request, besides its meters. */
  requestNanos: Type.Optional(Nanos),
  /** For each call of a tool that the provider runs, by the tool's type. */
  callNanos: Type.Optional(Type.Record(Type.String(), Nanos)),
  /** Where the operator found the prices, and on which day (yyyy-mm-dd). */
  source: Type.Optional(Type.String()),
  asOf: Type.Optional(Type.String()),
  /** Known differences from a public price list, for `tollgate catalog check`. */
  listDifferences: Type.Optional(Type.Array(ListDifference))
})
export type ModelPrices = Static<typeof ModelPrices>

/** The tier of a request that names none. Each period has rows of it. */
export const standardTier = 'default'

/** How providers name the standard tier in answers: OpenAI, Anthropic and Gemini, Groq. */
const standardNames: ReadonlySet<string> = new Set([standardTier, 'standard', 'on_demand'])

/** The tiers that have prices, the standard one first. */
export function pricedTiers({ periods }: ModelPrices): readonly string[] {
  if (periods === undefined) return standardOnly
  return [...new Set([standardTier, ...periods[0]!.rows.map(({ tier }) => tier)])]
}

/**
 * The tiers that an answer may be served in: the one that it names, or all that its request allows if that has no
 * price.
 */
export function chargedTiers(prices: ModelPrices, named: string | null, allowed: readonly string[]): readonly string[] {
  if (named === null || !hasTierPrice(prices, named)) return allowed
  return standardNames.has(named) ? standardOnly : [named]
}

/** Whether a model has prices for the tier that an answer names. */
export const hasTierPrice = (prices: ModelPrices, named: string): boolean =>
  standardNames.has(named) || pricedTiers(prices).includes(named)

export const standardOnly: readonly string[] = [standardTier]

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
  const members = pricedUnits.map(([unit, rows]) => {
    const kinds = rows.map(({ kind, name }) => {
      const Price = Type.Number({ ...Usd, description: `US dollars for ${name.toLowerCase()}.` })
      return [kind, isBasic(kind) ? Price : Type.Optional(Price)]
    })
    const { per, prices } = units[unit]
    const description = `US dollars for ${per === 1 ? `each ${unit}` : `a million ${unit}s`}, by kind.`
    const Prices = Type.Object(Object.fromEntries(kinds), { ...options, description })
    return [prices, unit === 'token' ? Prices : Type.Optional(Prices)]
  })
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
