import type { PricesOfPeriod, TokenPrices } from '@tollgate/contracts/http/offered-models.ts'
import {
  type ListedPrices,
  type ModelPrices,
  type PricePeriod,
  standardTier
} from '@tollgate/contracts/prices/model-prices.ts'
import { periodAt } from '@tollgate/contracts/prices/rates-for.ts'

/** Describes all prices of tokens: periods that are not over, with a row for each tier and each length of the prompt. */
export function describePrices(prices: ModelPrices, now: Date): PricesOfPeriod[] {
  const { periods } = prices
  if (periods === undefined) {
    const rows = [{ tier: standardTier, above_prompt_tokens: 0, usd_per_million_tokens: toTokenPrices(prices) }]
    return [{ is_now: true, from: null, until: null, weekdays: [], utc_hours: [], rows }]
  }
  const current = periodAt(periods, now.getTime())
  return periods
    .filter(({ until }) => until === undefined || until * 1000 > now.getTime())
    .map((period) => describePeriod(period, period === current))
}

const describePeriod = (
  { from, until, weekdays = [], minutes = [], rows }: PricePeriod,
  isNow: boolean
): PricesOfPeriod => ({
  is_now: isNow,
  from: toInstant(from),
  until: toInstant(until),
  weekdays,
  utc_hours: minutes.map(([first, end]) => `${toClock(first)}-${toClock(end)}`),
  rows: rows.map(({ tier, abovePromptTokens, prices }) => ({
    tier,
    above_prompt_tokens: abovePromptTokens,
    usd_per_million_tokens: toTokenPrices(prices)
  }))
})

const toInstant = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(seconds * 1000).toISOString()

const two = (number: number): string => String(number).padStart(2, '0')
const toClock = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`

/** Each member of the answer, and the member of the catalog. */
const kinds = {
  input: 'inputPicos',
  cached_input: 'cachedInputPicos',
  cache_write: 'cacheWritePicos',
  cache_write_long: 'longCacheWritePicos',
  audio_input: 'audioInputPicos',
  image_input: 'imageInputPicos',
  output: 'outputPicos',
  reasoning: 'reasoningPicos',
  audio_output: 'audioOutputPicos',
  image_output: 'imageOutputPicos'
} as const satisfies Record<keyof TokenPrices, keyof ListedPrices>

/** Picodollars per token are millionths of dollars per million tokens. */
const toTokenPrices = (prices: ListedPrices): TokenPrices =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, member]) => {
      const picos = prices[member]
      return picos === undefined ? [] : [[kind, picos / 1e6]]
    })
  ) as TokenPrices
