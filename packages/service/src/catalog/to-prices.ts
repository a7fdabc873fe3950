import { timesPrices } from '@tollgate/contracts/catalog/list-prices.ts'
import { type PriceKind, pricedRows, pricedUnits, units } from '@tollgate/contracts/meters/meters.ts'
import { completeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { type Fraction, multiplyUp, toFraction } from '@tollgate/contracts/prices/factors.ts'
import {
  type ListedPrices,
  type ModelPrices,
  type PricePeriod,
  type PriceRow,
  picosPerUsd,
  standardTier
} from '@tollgate/contracts/prices/model-prices.ts'
import { type DatedEntry, type PriceEntry, weekdayNames } from './entries.ts'

/** The members with prices, by unit and kind. */
type UsdPrices = Readonly<Partial<Record<string, Readonly<Partial<Record<PriceKind, number>>>>>>
const pricesOf = (entry: PriceEntry | DatedEntry): UsdPrices => entry as unknown as UsdPrices
type LongPrompt = NonNullable<PriceEntry['long_prompt']>
type ServiceTiers = NonNullable<PriceEntry['service_tiers']>

/** Adds a problem at a path inside the model. */
type Report = (path: string, problem: string) => void

/** Translates the prices of a model. */
export function toPrices(entry: PriceEntry, report: Report): ModelPrices {
  const { dated = [], long_prompt: steps = [], service_tiers: tiers = {} } = entry
  checkTiers(tiers, 'service_tiers', report)
  if (entry.as_of !== undefined) dayOf(entry.as_of, 'as_of', report)
  const base = toListed(pricesOf(entry), '', report)
  const hasPeriods = dated.length > 0 || steps.length > 0 || Object.keys(tiers).length > 0
  const always: PricePeriod = { rows: toRows(base, steps, tiers, 'long_prompt', report) }
  const periods = [always, ...dated.map((one, index) => toPeriod(one, entry, `dated.${index}`, report))]
  const calls = Object.entries(entry.usd_per_call ?? {})
  return {
    ...base,
    ...(hasPeriods && { periods }),
    ...(entry.usd_per_request !== undefined && {
      requestNanos: toNanos(entry.usd_per_request, 'usd_per_request', report)
    }),
    ...(calls.length > 0 && {
      callNanos: Object.fromEntries(calls.map(([type, usd]) => [type, toNanos(usd, `usd_per_call.${type}`, report)]))
    }),
    ...(entry.source !== undefined && { source: entry.source }),
    ...(entry.as_of !== undefined && { asOf: entry.as_of }),
    ...(entry.list_differences !== undefined && {
      listDifferences: entry.list_differences.map(({ list, ...difference }) => ({
        ...difference,
        ...(list !== undefined && { listUsd: list })
      }))
    })
  }
}

/**
 * What customers pay for a model, if that is not what its providers bill. Each kind that a provider bills, and that
 * `retail` does not name, has the price that the request would be charged: see `otherwise` in meters.ts. So a
 * reservation knows it, too.
 *
 * @param markup the factor of the model's own prices, without `retail`
 * @param billed the prices of the model, then those of upstreams with prices of their own
 * @returns null if customers pay the model's own prices
 */
export function toRetail(
  retail: PriceEntry | undefined,
  markup: number,
  billed: readonly ModelPrices[],
  report: Report
): ModelPrices | null {
  if (retail === undefined) return markup === 1 ? null : timesPrices(billed[0]!, markup)
  const prices = toPrices(retail, report)
  const complete = (listed: ListedPrices): ListedPrices => {
    const rates = completeRates(listed, {})
    const kinds = pricedRows.filter(({ member }) => billed.some((one) => one[member] !== undefined))
    return { ...Object.fromEntries(kinds.map(({ member }) => [member, rates[member]])), ...listed } as ListedPrices
  }
  const { periods } = prices
  return {
    ...prices,
    ...complete(prices),
    ...(periods !== undefined && {
      periods: periods.map((period) => ({
        ...period,
        rows: period.rows.map((row) => ({ ...row, prices: complete(row.prices) }))
      }))
    })
  }
}

function toListed(entry: UsdPrices, path: string, report: Report): ListedPrices {
  const usdOf = (prices: string, kind: PriceKind): number | undefined =>
    entry[prices]?.[kind] ?? (kind === 'cached_input' ? usdOf(prices, 'input') : undefined)
  const listed = pricedUnits.flatMap(([unit, rows]) =>
    rows.flatMap(({ kind, member }) => {
      const { prices } = units[unit]
      const usd = usdOf(prices, kind)
      const place = `${path}${prices}.${kind}`
      return usd === undefined ? [] : [[member, toWhole(usd, picosPerUsd(unit), place, report)] as const]
    })
  )
  return Object.fromEntries(listed) as ListedPrices
}

const toNanos = (usd: number, path: string, report: Report): number => toWhole(usd, 1e9, path, report)

const finest: Readonly<Record<number, string>> = { 1e6: 'millionth', 1e9: 'billionth', 1e12: 'trillionth' }

/** Converts dollars into whole units. */
function toWhole(usd: number, unitsPerUsd: number, path: string, report: Report): number {
  const value = Math.round(usd * unitsPerUsd)
  // Binary numbers are exact to about 1e-16 of their size.
  const tolerance = Math.max(1e-4, value * 1e-15)
  if (Math.abs(value - usd * unitsPerUsd) > tolerance) report(path, `finer than a ${finest[unitsPerUsd]} of a dollar`)
  return value
}

/** The rows of a period: each tier, and in it each step of the prompt's length. */
function toRows(
  base: ListedPrices,
  steps: LongPrompt,
  tiers: ServiceTiers,
  path: string,
  report: Report
): PricePeriod['rows'] {
  const lengths = [{ above: 0, times: toFactor(1) }]
  for (const [index, { above, from, times }] of steps.entries()) {
    const length = above ?? (from === undefined ? null : from - 1)
    if (length === null || (above !== undefined && from !== undefined)) {
      report(`${path}.${index}`, 'needs either above or from')
    } else lengths.push({ above: length, times: toFactor(times) })
  }
  if (new Set(lengths.map(({ above }) => above)).size < lengths.length) {
    report(path, 'two steps begin at the same length')
  }
  const all = Object.entries<ServiceTiers[string]>({ [standardTier]: { times: 1 }, ...tiers })
  return all.flatMap(([tier, ofTier]) =>
    lengths.map(
      ({ above, times }): PriceRow => ({
        tier,
        abovePromptTokens: above,
        prices: multiplied(base, [toFactor(ofTier.times), times])
      })
    )
  )
}

function multiplied(base: ListedPrices, factors: readonly Factor[]): ListedPrices {
  const product = { ...base }
  for (const { member, side } of pricedRows) {
    const picos = base[member]
    const ofSide = factors.map((factor) => factor[side])
    if (picos !== undefined) product[member] = multiplyUp(picos, ofSide)
  }
  return product
}

function toPeriod(dated: DatedEntry, model: PriceEntry, path: string, report: Report): PricePeriod {
  const [ofModel, ofPeriod] = [pricesOf(model), pricesOf(dated)]
  for (const [unit, rows] of pricedUnits) {
    const { prices } = units[unit]
    for (const { kind } of rows) {
      const [before, after] = [ofModel[prices]?.[kind], ofPeriod[prices]?.[kind]]
      const at = `${path}.${prices}.${kind}`
      if (before !== undefined && after === undefined) report(at, 'missing, and the model has it')
      // Reservations ask the model which kinds have a price.
      if (before === undefined && after !== undefined) report(at, 'the model has no such price')
    }
  }
  const { weekdays, utc_hours: hours } = dated
  const tiers = { ...model.service_tiers, ...dated.service_tiers }
  for (const tier of Object.keys(dated.service_tiers ?? {})) {
    if (!Object.hasOwn(model.service_tiers ?? {}, tier)) {
      report(`${path}.service_tiers.${tier}`, 'the model has no such tier')
    }
  }
  const from = dated.from === undefined ? undefined : dayOf(dated.from, `${path}.from`, report)
  const lastDay = dated.until === undefined ? undefined : dayOf(dated.until, `${path}.until`, report)
  const until = lastDay === undefined ? undefined : lastDay + 86_400
  if (from !== undefined && until !== undefined && until <= from) report(`${path}.until`, 'before from')
  if (from === undefined && until === undefined && weekdays === undefined && hours === undefined) {
    report(path, 'needs from, until, weekdays or utc_hours')
  }
  const base = toListed(ofPeriod, `${path}.`, report)
  return {
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(weekdays !== undefined && { weekdays: weekdays.map((day) => weekdayNames.indexOf(day)) }),
    ...(hours !== undefined && { minutes: hours.map((range) => minutesOf(range, `${path}.utc_hours`, report)) }),
    rows: toRows(base, dated.long_prompt ?? model.long_prompt ?? [], tiers, `${path}.long_prompt`, report)
  }
}

/** A prompt's tier is known by the names of providers, so the standard tier has no factor. */
function checkTiers(tiers: ServiceTiers, path: string, report: Report): void {
  for (const tier of ['default', 'auto', 'standard', 'on_demand']) {
    if (Object.hasOwn(tiers, tier)) report(`${path}.${tier}`, "means the standard tier, whose prices are the model's")
  }
}

/** The first second of a day, Unix seconds. */
function dayOf(day: string, path: string, report: Report): number {
  const ms = Date.parse(`${day}T00:00:00Z`)
  // JavaScript accepts 2026-02-30 as March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day) {
    report(path, 'not a day of the calendar')
    return 0
  }
  return ms / 1000
}

function minutesOf(range: string, path: string, report: Report): [number, number] {
  const [first, end] = range.split('-').map((time) => {
    const [hours, minutes] = time.split(':').map(Number)
    return hours! * 60 + minutes!
  }) as [number, number]
  if (end <= first) report(path, `${range} ends before it begins. Write two ranges, one for each day`)
  return [first, end]
}

/** The factors of the prompt's and the output's prices. */
interface Factor {
  input: Fraction
  output: Fraction
}

/** @param times of all prices, or of each side */
function toFactor(times: number | { input?: number; output?: number }): Factor {
  if (typeof times === 'number') return { input: toFraction(times), output: toFraction(times) }
  return { input: toFraction(times.input ?? 1), output: toFraction(times.output ?? 1) }
}
