import type { PricesOfPeriod } from '@tollgate/contracts/http/offered-models.ts'
import { pricedRows, units, wholes } from '@tollgate/contracts/meters/meters.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { badge, card, cell, headCell, numberCell } from './class-names.ts'
import { formatCount, formatDay, formatPrice, joinNames } from './format.ts'
import { type Html, html } from './html.ts'
import { hasOutput, nameMeter } from './price-text.ts'
import { isAtSomeTimes, presentPrices, type SiteModel } from './site-facts.ts'

type PriceRow = PricesOfPeriod['rows'][number]
/** Dollars by unit and kind. */
type UsdPrices = Readonly<Partial<Record<string, Readonly<Partial<Record<string, number>>>>>>

/** The prices of some time, as a table. */
interface PriceTable {
  /** null: the only prices. */
  readonly when: string | null
  readonly isNow: boolean
  readonly rows: readonly PriceRow[]
}

/**
 * All prices of a model: a table for now, and one for each coming date with the rows that change then. Prices of some
 * weekdays or hours have a table for each such time.
 */
export function priceTables(model: SiteModel): Html {
  const kinds = pricedKinds(model)
  const tables = model.prices.some(isAtSomeTimes) ? tablesByHour(model.prices) : tablesByDate(model)
  return html`${tables.map(
    ({ when, isNow, rows }) =>
      html`<div class="${card} wide-table mt-4" tabindex="0" role="region" aria-label="${when === null ? 'Table of prices' : `Prices: ${when}`}"><table class="w-full text-sm">${
        when !== null &&
        html`<caption class="px-5 pt-4 pb-1 text-left font-medium">${when}${isNow && html` <span class="${badge} ml-1 bg-accent-soft text-accent-strong">Now</span>`}</caption>`
      }<thead class="border-b border-line"><tr><th scope="col" class="${headCell} pl-5">Requests</th>${kinds.map(
        ({ name }) => html`<th scope="col" class="${headCell} ${numberCell} last:pr-5">${name}</th>`
      )}</tr></thead><tbody class="divide-y divide-line">${joinTiers(rows).map(
        ([names, row]) =>
          html`<tr><th scope="row" class="${cell} min-w-44 pl-5 text-left font-normal">${describeRow(names, row)}</th>${kinds.map(
            ({ priceIn }) => html`<td class="${cell} ${numberCell} last:pr-5">${writePrice(priceIn(row))}</td>`
          )}</tr>`
      )}</tbody></table></div>`
  )}`
}

const writePrice = (usd: number | undefined): string => (usd === undefined ? '–' : formatPrice(usd))

/** Whether a request can choose other prices than those of the standard tier. */
export const hasTiers = ({ prices }: SiteModel): boolean =>
  prices.some(({ rows }) => rows.some(({ tier }) => tier !== standardTier))

function tablesByDate(model: SiteModel): PriceTable[] {
  const { prices, priceDates } = model
  const present = presentPrices(model)
  const tables: PriceTable[] = []
  let before = present.rows
  for (const date of priceDates) {
    const { rows } = prices.findLast((period) => contains(period, date)) ?? prices[0]!
    const old = new Set(before.map((row) => JSON.stringify(row)))
    const changed = rows.filter((row) => !old.has(JSON.stringify(row)))
    const rest = changed.length < rows.length ? ' (other prices stay the same)' : ''
    if (changed.length > 0) tables.push({ when: `From ${formatDay(date)}${rest}`, isNow: false, rows: changed })
    before = rows
  }
  return [{ when: tables.length === 0 ? null : 'Now', isNow: false, rows: present.rows }, ...tables]
}

const contains = ({ from, until }: PricesOfPeriod, time: number): boolean =>
  (from === null || Date.parse(from) <= time) && (until === null || time < Date.parse(until))

const tablesByHour = (prices: readonly PricesOfPeriod[]): PriceTable[] =>
  prices
    .toSorted((one, other) => Number(other.is_now) - Number(one.is_now))
    .map((period) => ({ when: describePeriod(period), isNow: period.is_now, rows: period.rows }))

/** The meters that have a price in any of the rows: input, output, and then their parts. */
function pricedKinds(model: SiteModel) {
  const parts = pricedRows.filter((row) => !wholes.includes(row))
  return [...wholes, ...parts]
    .filter(({ side }) => side === 'input' || hasOutput(model))
    .map(({ name, unit, kind }) => {
      const { prices: member, label } = units[unit]
      const priceIn = (row: PriceRow): number | undefined => (row as unknown as UsdPrices)[member]?.[kind]
      const shown = nameMeter(name, model)
      return { name: unit === 'token' ? shown : `${shown}, per ${label}`, priceIn }
    })
    .filter(({ priceIn }) => model.prices.some(({ rows }) => rows.some((row) => priceIn(row) !== undefined)))
}

/** Joins rows of tiers with the same prices: a provider may have two names for a tier. */
function joinTiers(rows: readonly PriceRow[]): Array<readonly [tiers: string[], row: PriceRow]> {
  const equal = Map.groupBy(rows, ({ tier: _, ...prices }) => JSON.stringify(prices))
  return [...equal.values()].map((all) => [all.map(({ tier }) => tier), all[0]!])
}

/** To which requests a row applies. */
function describeRow(tiers: readonly string[], { above_prompt_tokens: above }: PriceRow): Html {
  const names = tiers.map((tier) =>
    tier === standardTier ? html`Standard` : html`<code class="font-mono text-[0.8125rem]">${tier}</code>`
  )
  const joined = names.map((name, index) => (index === 0 ? name : html` or ${name}`))
  return html`${joined}${above > 0 && html`, prompts over ${formatCount(above)} tokens`}`
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** `Monday to Friday`, or the single days. */
function describeDays(weekdays: readonly number[]): string {
  const [first, last] = [weekdays[0]!, weekdays.at(-1)!]
  const isRange = weekdays.length > 2 && weekdays.every((day, index) => day === first + index)
  return isRange ? `${days[first]} to ${days[last]}` : `on ${joinNames(weekdays.map((day) => days[day]!))}`
}

/** When the prices of a period apply. */
function describePeriod({ from, until, weekdays, utc_hours: hours }: PricesOfPeriod): string {
  const parts = [
    from === null ? '' : `from ${formatDay(new Date(from))}`,
    until === null ? '' : `until ${formatDay(Date.parse(until) - 1)}`,
    weekdays.length === 0 ? '' : describeDays(weekdays),
    hours.length === 0 ? '' : `at ${joinNames(hours)} UTC`
  ].filter((part) => part !== '')
  if (parts.length === 0) return 'All other times'
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Prices that do not depend on tokens, one line each. */
export function otherPrices({ usd_per_request: request, usd_per_call: calls }: SiteModel): string[] {
  return [
    ...(request === 0 ? [] : [`Each request: ${formatPrice(request)}, besides its tokens`]),
    ...Object.entries(calls).map(([tool, usd]) => `${nameTool(tool)}: ${formatPrice(usd)} per call`)
  ]
}

/** `Web search` for `web_search`. */
function nameTool(type: string): string {
  const words = type.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
