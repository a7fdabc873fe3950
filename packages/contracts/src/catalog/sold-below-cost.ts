import { type PricedRow, pricedRows, units } from '../meters/meters.ts'
import { formatUsd } from '../money/usd.ts'
import type { ChargeRates } from '../prices/charge-rates.ts'
import { type ModelPrices, pricedTiers } from '../prices/model-prices.ts'
import { ratesFor } from '../prices/rates-for.ts'
import type { Catalog, Model } from './catalog.ts'
import { billedPrices, chargedPrices, type PriceGroup } from './list-prices.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const daysOfWeek = 7

/**
 * Says for which models an upstream of the route bills more than customers pay, in some tier, for some length of the
 * prompt, or at some time from now on. One sentence for each model, price group and upstream.
 *
 * @param now Unix milliseconds
 */
export function findSoldBelowCost({ models, priceGroups = {} }: Catalog, now: number): string[] {
  const groups = [null, ...Object.entries(priceGroups).map(([name, multiplier]): PriceGroup => ({ name, multiplier }))]
  return Object.entries(models).flatMap(([name, model]) => groups.flatMap((group) => lossesOf(name, model, group, now)))
}

function lossesOf(name: string, model: Model, group: PriceGroup | null, now: number): string[] {
  const charged = chargedPrices(model, group)
  const of = group === null ? name : `${name} in the price group ${group.name}`
  return model.route.flatMap((target) => {
    const billed = billedPrices(model, target)
    /** The first loss of each kind. */
    const losses = new Map<string, string>()
    const named = pricedRows.filter(({ member }) => [charged, billed].some((prices) => prices[member] !== undefined))
    if (billed !== charged) {
      for (const context of contextsOf([charged, billed], now)) {
        for (const [kind, amounts] of compare(named, ratesFor(charged, context), ratesFor(billed, context))) {
          if (!losses.has(kind)) losses.set(kind, amounts)
        }
      }
    }
    const words = [...losses].map(([kind, amounts]) => `${kind} ${amounts}`)
    return words.length === 0 ? [] : [`${of}: ${target.upstream} bills more than customers pay. ${words.join('; ')}`]
  })
}

/** Every tier, length of a prompt and time at which the rates of some prices may be other ones. */
function* contextsOf(all: readonly ModelPrices[], now: number) {
  const tiers = new Set(all.flatMap(pricedTiers))
  const periods = all.flatMap(({ periods = [] }) => periods)
  const lengths = new Set([0, ...periods.flatMap(({ rows }) => rows.map((row) => row.abovePromptTokens + 1))])
  for (const at of timesOf(periods, now)) {
    for (const tier of tiers) for (const promptTokens of lengths) yield { tier, promptTokens, at }
  }
}

/** Now, each later beginning and end of a period, and each change within the week after those. */
function timesOf(periods: NonNullable<ModelPrices['periods']>, now: number): Set<number> {
  const dated = periods.flatMap(({ from = 0, until = 0 }) => [from * 1000, until * 1000]).filter((time) => time > now)
  const starts = [now, ...dated]
  const isWeekly = periods.some(({ weekdays, minutes }) => weekdays !== undefined || minutes !== undefined)
  if (!isWeekly) return new Set(starts)
  const minutes = [0, ...periods.flatMap((period) => (period.minutes ?? []).flat())]
  const times = new Set(starts)
  for (const start of starts) {
    const midnight = start - (start % dayMs)
    for (let day = 0; day <= daysOfWeek; day++) {
      for (const minute of minutes) times.add(Math.max(start, midnight + day * dayMs + minute * minuteMs))
    }
  }
  return times
}

/** The kinds for which more is billed than charged, with both amounts. */
function compare(
  named: readonly PricedRow[],
  charged: ChargeRates,
  billed: ChargeRates
): Array<[kind: string, amounts: string]> {
  const losses = named.flatMap(({ member, kind, unit }): Array<[string, string]> => {
    const { per, label } = units[unit]
    const usd = (rates: ChargeRates) => formatUsd((BigInt(rates[member]) * BigInt(per)) / 1000n)
    if (billed[member] <= charged[member]) return []
    return [[kind, `USD ${usd(billed)} instead of ${usd(charged)} per ${label}`]]
  })
  const [paid, cost] = [formatUsd(BigInt(charged.requestNanos)), formatUsd(BigInt(billed.requestNanos))]
  if (billed.requestNanos > charged.requestNanos) losses.push(['request', `USD ${cost} instead of ${paid}`])
  for (const [type, nanos] of Object.entries(billed.callNanos)) {
    const sold = Object.hasOwn(charged.callNanos, type) ? charged.callNanos[type]! : charged.dearestCallNanos
    if (nanos > sold) {
      losses.push([`call of ${type}`, `USD ${formatUsd(BigInt(nanos))} instead of ${formatUsd(BigInt(sold))}`])
    }
  }
  return losses
}
