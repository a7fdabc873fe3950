import { table } from '../commands/show.ts'
import type { PriceDifference } from '../prices/compare-prices.ts'

/** The result of `tollgate catalog check`. */
export interface PriceCheck {
  /** Whether every price below the list has a reason in the catalog. */
  readonly ok: boolean
  readonly list: {
    readonly name: string
    readonly version: string
    readonly date: string
    readonly age_days: number
    readonly is_old: boolean
  }
  /** How many were compared. */
  readonly models: number
  readonly differences: readonly CheckedPrice[]
}

export interface CheckedPrice {
  readonly model: string
  /** Upstream and its name of the model. */
  readonly served: string
  /** The model in the list; null if the list does not know it. */
  readonly entry: string | null
  readonly kind: string | null
  readonly above_prompt_tokens: number
  readonly at: string
  /** USD per million tokens, or per thousand calls or requests. */
  readonly catalog_usd: number | null
  readonly list_usd: number | null
  readonly result: PriceDifference['result']
  /** Why, if the catalog says so. */
  readonly because: string | null
}

/** The result for people. @param now Unix milliseconds */
export function describePriceCheck({ list, models, differences }: PriceCheck, now: number): string {
  const [explained, open] = [
    differences.filter(({ because }) => because !== null),
    differences.filter(({ because }) => because === null)
  ]
  const count = (result: CheckedPrice['result']): number => open.filter((one) => one.result === result).length
  const rows = [...open, ...explained].map((one) => [
    one.model,
    one.kind ?? 'all',
    one.above_prompt_tokens === 0 ? 'any' : `over ${one.above_prompt_tokens}`,
    Date.parse(one.at) === now ? 'now' : `${one.at.slice(0, 16)}Z`,
    one.catalog_usd,
    one.list_usd,
    differenceOf(one),
    one.entry ?? `not listed: ${one.served}`,
    one.because ?? (one.result === 'below' ? 'BELOW' : one.result)
  ])
  return [
    `Price list: ${list.name} ${list.version} of ${list.date}, ${list.age_days} days old`,
    ...(list.is_old
      ? ['Warning: the list is older than 45 days. It may lack new prices. Check those of your providers, too.']
      : []),
    '',
    table(
      [['MODEL', 'KIND', 'PROMPT', 'FROM', 'CATALOG', 'LIST', 'DIFFERENCE', 'LISTED AS', 'RESULT'], ...rows],
      `All prices of ${models} models are those of the list.`
    ),
    ...(rows.length === 0
      ? []
      : [
          '',
          'Prices are USD per million tokens, or per 1000 calls or requests.',
          `${count('below')} below the list, ${count('above')} above, ${count('unknown')} unknown, ` +
            `${explained.length} with a reason in the catalog. Models: ${models}`
        ])
  ].join('\n')
}

/** The catalog's price less the list's, with the per cent of the list's. */
function differenceOf({ catalog_usd: ours, list_usd: theirs }: CheckedPrice): string | null {
  if (ours === null || theirs === null) return null
  // Prices are whole millionths; floating point is not.
  const difference = Math.round((ours - theirs) * 1e6) / 1e6
  const sign = difference > 0 ? '+' : ''
  const percent = theirs === 0 ? '' : ` (${sign}${((difference / theirs) * 100).toFixed(1)}%)`
  return `${sign}${difference}${percent}`
}
