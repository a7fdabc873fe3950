import { type Static, Type } from 'typebox'
import { type PricedRow, type PricingMember, pricedRows } from '../meters/meters.ts'
import { formatPicos } from '../money/usd.ts'
import { type ModelPrices, type PricePeriod, standardTier } from './model-prices.ts'
import { ratesFor } from './rates-for.ts'

/**
 * Prices as OpenRouter's list of models has them, so that its clients can read them: US dollars for one token, one
 * request or one search, as exact decimal texts.
 */

const Usd = (what: string) =>
  Type.String({ pattern: '^(0|[1-9][0-9]*)(\\.[0-9]{0,11}[1-9])?$', description: `US dollars for ${what}.` })

/** The name of the price of a web search, for OpenRouter and in `callNanos`. */
const webSearch = 'web_search'

type BasicMember = Extract<PricingMember, 'prompt' | 'completion' | 'input_cache_read'>
type OfMeters = Record<BasicMember, Type.TString> &
  Record<Exclude<PricingMember, BasicMember>, Type.TOptional<Type.TString>>

const ofMeters = Object.fromEntries(
  pricedRows.map(({ pricing, otherwise, name, unit }) => {
    const Price = Usd(`a ${unit}: ${name.toLowerCase()}`)
    return [pricing, otherwise === undefined ? Price : Type.Optional(Price)]
  })
) as OfMeters

export const Pricing = Type.Object(
  { ...ofMeters, request: Usd('the request itself'), [webSearch]: Type.Optional(Usd('each search')) },
  {
    description:
      'What this key pays, in exact US dollars: for one token, for each request (`request`) and for each search (`web_search`). ' +
      'These are the prices of this moment, for the standard service tier and short prompts. ' +
      'A kind of tokens that is left out has no price of its own.'
  }
)
export type Pricing = Static<typeof Pricing>

export const UpcomingPricing = Type.Object({
  from: Type.String({ format: 'date-time', description: 'When the prices change.' }),
  pricing: Pricing
})
export type UpcomingPricing = Static<typeof UpcomingPricing>

/**
 * The prices at a time, for the standard tier and short prompts.
 *
 * @param prices what the account pays: see `chargedPrices`
 * @param at Unix milliseconds
 */
export function pricingAt(prices: ModelPrices, at: number): Pricing {
  const { requestNanos, callNanos, ...rates } = ratesFor(prices, { tier: standardTier, promptTokens: 0, at })
  const rows = pricedRows.filter(({ member }) => prices[member] !== undefined)
  const ofRow = ({ pricing, member }: PricedRow) => [pricing, formatPicos(BigInt(rates[member]))] as const
  const { [webSearch]: searchNanos } = callNanos
  return {
    ...(Object.fromEntries(rows.map(ofRow)) as Record<BasicMember, string>),
    request: formatNanosAsPrice(requestNanos),
    ...(searchNanos !== undefined && { [webSearch]: formatNanosAsPrice(searchNanos) })
  }
}

const formatNanosAsPrice = (nanos: number): string => formatPicos(BigInt(nanos) * 1000n)

/**
 * The changes of {@link pricingAt} that are already known, the earliest first. Prices of some hours or weekdays come and
 * go all the time, so they are no changes.
 *
 * @param now Unix milliseconds
 */
export function upcomingPricing(prices: ModelPrices, now: number): UpcomingPricing[] {
  const { periods } = prices
  if (periods === undefined) return []
  const lasting = periods.filter(isLasting)
  const times = lasting.flatMap(({ from = 0, until = 0 }) => [from * 1000, until * 1000]).filter((time) => time > now)
  if (times.length === 0) return []
  const atAllHours = { ...prices, periods: lasting }
  const changes: UpcomingPricing[] = []
  let before = JSON.stringify(pricingAt(atAllHours, now))
  for (const time of [...new Set(times)].sort((one, other) => one - other)) {
    const pricing = pricingAt(atAllHours, time)
    const text = JSON.stringify(pricing)
    if (text !== before) changes.push({ from: new Date(time).toISOString(), pricing })
    before = text
  }
  return changes
}

const isLasting = ({ weekdays, minutes }: PricePeriod): boolean => weekdays === undefined && minutes === undefined
