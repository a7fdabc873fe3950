import { countOf, type Meter, type PricedRow, type RareCounts, rareCounts, wholes } from '../meters/meters.ts'
import type { ChargeRates } from './charge-rates.ts'

/** The usage of a request. Each part of the prompt or the output is at most its whole; several parts may overlap. */
export interface PricedUsage {
  promptTokens: number
  /** Part of `promptTokens`. */
  cachedTokens: number
  completionTokens: number
  /** Part of `completionTokens`. */
  reasoningTokens: number
  /** The other meters; null if all of them are 0, as for most requests. */
  rare: RareCounts | null
  /** Calls of tools by the tool's type; null if there were none, or if their types are not known. */
  calls: Readonly<Record<string, number>> | null
}

/**
 * Computes a cost in nanodollars (1e-9 USD), rounded up once. Rates are whole picodollars per unit. Whole nanodollars
 * and remainders are added separately. With the catalog's limits, every product and sum is then a safe integer.
 *
 * If the parts of the prompt or the output are more than the whole, they overlap. Then tokens count as the dearest kind
 * first.
 */
export function cost(usage: PricedUsage, rates: ChargeRates): number {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage
  if (usage.rare !== null) return costOfMeters(usage, rates)
  const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos } = rates
  const input = promptTokens - cachedTokens
  const output = completionTokens - reasoningTokens
  const restPicos =
    input * (inputPicos % 1000) +
    cachedTokens * (cachedInputPicos % 1000) +
    output * (outputPicos % 1000) +
    reasoningTokens * (reasoningPicos % 1000)
  return (
    input * wholeNanos(inputPicos) +
    cachedTokens * wholeNanos(cachedInputPicos) +
    output * wholeNanos(outputPicos) +
    reasoningTokens * wholeNanos(reasoningPicos) +
    rates.requestNanos +
    Math.ceil(restPicos / 1000)
  )
}

function costOfMeters(usage: PricedUsage, rates: ChargeRates): number {
  let nanos = rates.requestNanos + costOfAllCalls(usage, rates)
  let restPicos = 0
  for (const whole of wholes) {
    for (const [{ member }, count] of chargedCounts(whole, usage, rates)) {
      nanos += count * wholeNanos(rates[member])
      restPicos += count * (rates[member] % 1000)
    }
  }
  return nanos + Math.ceil(restPicos / 1000)
}

type Counts = Omit<PricedUsage, 'calls'>

/**
 * Divides a whole into its parts and what is in none of them, which stands first. The dearest kind gets its count
 * first, each at most what is left.
 */
function chargedCounts(whole: PricedRow, usage: Counts, rates: ChargeRates): Array<[row: PricedRow, count: number]> {
  let left = countOf(usage, whole.counter)
  const parts = whole.parts.map((row): [PricedRow, number] => [row, countOf(usage, row.counter)])
  const own = left - parts.reduce((sum, [, count]) => sum + count, 0)
  const all: Array<[PricedRow, number]> = [[whole, Math.max(0, own)], ...parts]
  for (const entry of [...all].sort(([one], [other]) => rates[other.member] - rates[one.member])) {
    entry[1] = Math.min(entry[1], left)
    left -= entry[1]
  }
  return all
}

/** A usage with the counts that it is charged for: parts that overlap are cut, so that each unit counts once. */
export function withoutOverlaps<Usage extends Counts>(usage: Usage, rates: ChargeRates): Usage {
  const { rare } = usage
  // Nearly all requests have none of these, and their parts do not overlap.
  if (rare === null) return usage
  const parts = wholes.flatMap((whole) => chargedCounts(whole, usage, rates).slice(1))
  const charged = Object.fromEntries(parts.map(([{ counter }, count]) => [counter, count])) as Record<Meter, number>
  const { cachedTokens, reasoningTokens } = charged
  return { ...usage, cachedTokens, reasoningTokens, rare: rareCounts({ ...rare, ...charged }) }
}

/** Calls of an unknown type, or of one without a price, cost the dearest price of a call. */
function costOfAllCalls({ rare, calls }: PricedUsage, rates: ChargeRates): number {
  let left = rare?.toolCalls ?? 0
  for (const count of Object.values(calls ?? {})) left -= count
  return costOfCalls(calls ?? {}, rates) + Math.max(0, left) * rates.dearestCallNanos
}

/** The cost of calls of tools in nanodollars. A type without a price costs the dearest price of a call. */
export function costOfCalls(calls: Readonly<Record<string, number>>, rates: ChargeRates): number {
  const { callNanos, dearestCallNanos } = rates
  let nanos = 0
  for (const [type, count] of Object.entries(calls)) {
    nanos += count * (Object.hasOwn(callNanos, type) ? callNanos[type]! : dearestCallNanos)
  }
  return nanos
}

const wholeNanos = (picos: number): number => (picos - (picos % 1000)) / 1000
