import { pricedRows, units } from '@tollgate/contracts/meters/meters.ts'
import type { Answer } from '../../api/call.ts'
import { formatExactUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { formatUtcDay } from '../../format/time.ts'

export type PricedModel = Answer<'listPricedModels'>['models'][number]

export const shownOptions = [
  ['own', 'In your plan'],
  ['other', 'In other plans'],
  ['all', 'All']
] as const
export type Shown = (typeof shownOptions)[number][0]

/** The models whose id, aliases, maker, kind or endpoint has each typed word. */
export function findModels(models: readonly PricedModel[], typed: string, filter: Shown): PricedModel[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return models.filter(({ id, aliases, owned_by, kind, features, accepts, endpoints, is_included }) => {
    if (filter !== 'all' && is_included !== (filter === 'own')) return false
    const text = [id, ...aliases, owned_by, kind, ...features, ...accepts, ...(endpoints ?? [])].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export const orderOptions = [
  ['', 'Catalog order'],
  ['input', 'Lowest input price'],
  ['output', 'Lowest output price'],
  ['context', 'Largest context']
] as const

/**
 * Sorts models by one of {@link orderOptions}. Models without output come last by output price; others stay in catalog
 * order.
 */
export function sortModels(models: readonly PricedModel[], order: string | undefined): PricedModel[] {
  const sizeOf = (model: PricedModel): number => {
    switch (order) {
      case 'input':
        return usualPrices(model).input
      case 'output':
        return model.max_output_tokens === 0 ? Number.POSITIVE_INFINITY : usualPrices(model).output
      case 'context':
        return -model.context_tokens
      default:
        return 0
    }
  }
  const sized = models.map((model) => ({ model, size: sizeOf(model) }))
  return sized.sort((a, b) => (a.size === b.size ? 0 : a.size - b.size)).map(({ model }) => model)
}

export type PricePeriod = PricedModel['prices'][number]
export type PriceRow = PricePeriod['rows'][number]
/** Dollars by unit and kind. */
type UsdPrices = Readonly<Partial<Record<string, Readonly<Partial<Record<string, number>>>>>>

/** A meter that has a price. */
export interface PricedKind {
  readonly name: string
  readonly priceIn: (row: PriceRow) => number | undefined
}

/** The meters that have a price in any of the rows, in a fixed order. */
export function pricedKinds(rows: readonly PriceRow[]): PricedKind[] {
  return pricedRows
    .map(({ name, unit, kind }) => {
      const { prices, label } = units[unit]
      const priceIn = (row: PriceRow): number | undefined => (row as unknown as UsdPrices)[prices]?.[kind]
      return { name: unit === 'token' ? name : `${name}, for each ${label}`, priceIn }
    })
    .filter(({ priceIn }) => rows.some((row) => priceIn(row) !== undefined))
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
