import { countOf, type PricedRow, type RareCounts, wholes } from '../meters/meters.ts'
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

type Part = readonly [count: number, picos: number]

function costOfMeters(usage: PricedUsage, rates: ChargeRates): number {
  let nanos = rates.requestNanos + costOfAllCalls(usage, rates)
  let restPicos = 0
  for (const whole of wholes) {
    const partOf = ({ counter, member }: PricedRow): Part => [countOf(usage, counter), rates[member]]
    for (const [count, picos] of dearestFirst(partOf(whole), whole.parts.map(partOf))) {
      nanos += count * wholeNanos(picos)
      restPicos += count * (picos % 1000)
    }
  }
  return nanos + Math.ceil(restPicos / 1000)
}

/**
 * Divides a whole into its parts and what is in none of them. The dearest kind gets its count first, each at most what
 * is left.
 */
function dearestFirst([whole, plainPicos]: Part, parts: readonly Part[]): Part[] {
  let left = whole
  const plain = whole - parts.reduce((sum, [count]) => sum + count, 0)
  const all: Part[] = [[Math.max(0, plain), plainPicos], ...parts]
  return all
    .sort(([, one], [, other]) => other - one)
    .map(([count, picos]): Part => {
      const counted = Math.min(count, left)
      left -= counted
      return [counted, picos]
    })
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
