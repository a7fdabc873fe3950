import { formatExactUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { formatUtcDay } from '../../format/time.ts'
import type { PricedModel } from './find-models.ts'

export type PricePeriod = PricedModel['prices'][number]
export type PriceRow = PricePeriod['rows'][number]
export type TokenKind = keyof PriceRow['usd_per_million_tokens']

const kindNames: Readonly<Record<TokenKind, string>> = {
  input: 'Input',
  cached_input: 'Cached input',
  cache_write: 'Cache write',
  cache_write_long: 'Cache write, long',
  audio_input: 'Audio input',
  image_input: 'Image input',
  output: 'Output',
  reasoning: 'Reasoning',
  audio_output: 'Audio output',
  image_output: 'Image output'
}

/** The kinds of tokens that have a price in any of the rows, in a fixed order, with their names. */
export function pricedKinds(rows: readonly PriceRow[]): Array<readonly [kind: TokenKind, name: string]> {
  const kinds = Object.keys(kindNames) as TokenKind[]
  return kinds
    .filter((kind) => rows.some(({ usd_per_million_tokens: prices }) => prices[kind] !== undefined))
    .map((kind) => [kind, kindNames[kind]])
}

/** The prices that apply now to short prompts of the standard tier. */
export const usualPrices = ({ prices }: PricedModel): PriceRow['usd_per_million_tokens'] =>
  (prices.find(({ is_now }) => is_now) ?? prices[0]!).rows[0]!.usd_per_million_tokens

/** To which requests a row applies. */
export function describeRow({ tier, above_prompt_tokens: above }: PriceRow): string {
  const length = above === 0 ? '' : `prompts over ${formatCount(above)} tokens`
  if (tier === 'default') return length === '' ? 'Standard' : `Standard, ${length}`
  return `Tier ${tier}${length === '' ? '' : `, ${length}`}`
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** When the prices of a period apply. */
export function describePeriod({ from, until, weekdays, utc_hours: hours }: PricePeriod): string {
  const parts = [
    from === null ? '' : `from ${formatUtcDay(new Date(from))}`,
    until === null ? '' : `until ${formatUtcDay(new Date(Date.parse(until) - 1))}`,
    weekdays.length === 0 ? '' : `on ${weekdays.map((day) => days[day]).join(', ')}`,
    hours.length === 0 ? '' : `at ${hours.join(', ')} UTC`
  ].filter((part) => part !== '')
  if (parts.length === 0) return 'Usual prices'
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Prices that do not depend on tokens. */
export function otherPrices({ usd_per_request: request, usd_per_call: calls }: PricedModel): string[] {
  return [
    ...(request === 0 ? [] : [`${formatExactUsd(request)} for each request`]),
    ...Object.entries(calls).map(([tool, usd]) => `${formatExactUsd(usd)} for each call of ${tool}`)
  ]
}
