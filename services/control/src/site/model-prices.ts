import type { PricesOfPeriod } from '@tollgate/contracts/http/offered-models.ts'
import { pricedRows, units } from '@tollgate/contracts/meters/meters.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { badge, card, cell, headCell, numberCell } from './class-names.ts'
import { formatCount, formatDay, formatPrice, joinNames } from './format.ts'
import { type Html, html } from './html.ts'
import type { SiteModel } from './site-facts.ts'

type PriceRow = PricesOfPeriod['rows'][number]
/** Dollars by unit and kind. */
type UsdPrices = Readonly<Partial<Record<string, Readonly<Partial<Record<string, number>>>>>>

/** All prices of a model: a table for each period, with a row for each tier and length of the prompt. */
export function priceTables({ prices }: SiteModel): Html {
  const ordered = prices.toSorted((one, other) => Number(other.is_now) - Number(one.is_now))
  return html`${ordered.map((period) => {
    const kinds = pricedKinds(period.rows)
    const when = describePeriod(period, prices.length === 1)
    return html`<div class="${card} wide-table mt-4" tabindex="0" role="region" aria-label="${`Prices: ${when}`}"><table class="w-full text-sm"><caption class="px-5 pt-4 pb-1 text-left font-medium">${when}${
      prices.length > 1 && period.is_now && html` <span class="${badge} ml-1 bg-accent-soft text-accent">Now</span>`
    }</caption><thead class="border-b border-line"><tr><th scope="col" class="${headCell} pl-5">Requests</th>${kinds.map(
      ({ name }) => html`<th scope="col" class="${headCell} ${numberCell} last:pr-5">${name}</th>`
    )}</tr></thead><tbody class="divide-y divide-line">${period.rows.map(
      (row) =>
        html`<tr><th scope="row" class="${cell} min-w-32 pl-5 text-left font-normal">${describeRow(row)}</th>${kinds.map(
          ({ priceIn }) => html`<td class="${cell} ${numberCell} last:pr-5">${writePrice(priceIn(row))}</td>`
        )}</tr>`
    )}</tbody></table></div>`
  })}`
}

const writePrice = (usd: number | undefined): string => (usd === undefined ? '–' : formatPrice(usd))

/** The meters that have a price in any of the rows. */
function pricedKinds(rows: readonly PriceRow[]) {
  return pricedRows
    .map(({ name, unit, kind }) => {
      const { prices, label } = units[unit]
      const priceIn = (row: PriceRow): number | undefined => (row as unknown as UsdPrices)[prices]?.[kind]
      return { name: unit === 'token' ? name : `${name}, per ${label}`, priceIn }
    })
    .filter(({ priceIn }) => rows.some((row) => priceIn(row) !== undefined))
}

/** To which requests a row applies. */
function describeRow({ tier, above_prompt_tokens: above }: PriceRow): string {
  const name = tier === standardTier ? 'Standard' : `Tier ${tier}`
  return above === 0 ? name : `${name}, prompts over ${formatCount(above)} tokens`
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** When the prices of a period apply. */
function describePeriod({ from, until, weekdays, utc_hours: hours }: PricesOfPeriod, isOnly: boolean): string {
  const parts = [
    from === null ? '' : `from ${formatDay(new Date(from))}`,
    until === null ? '' : `until ${formatDay(Date.parse(until) - 1)}`,
    weekdays.length === 0 ? '' : `on ${joinNames(weekdays.map((day) => days[day]!))}`,
    hours.length === 0 ? '' : `at ${joinNames(hours)} UTC`
  ].filter((part) => part !== '')
  if (parts.length === 0) return isOnly ? 'At all times' : 'At all other times'
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Prices that do not depend on tokens, one line each. */
export function otherPrices({ usd_per_request: request, usd_per_call: calls }: SiteModel): string[] {
  return [
    ...(request === 0 ? [] : [`${formatPrice(request)} for each request`]),
    ...Object.entries(calls).map(([tool, usd]) => `${formatPrice(usd)} for each call of ${tool}`)
  ]
}
