import type { ChargeRates } from './charge-rates.ts'

/** The usage of a request. Each part of the prompt or the output is at most its whole; several parts may overlap. */
export interface PricedUsage {
  promptTokens: number
  /** Parts of `promptTokens`. */
  cachedTokens: number
  cacheWriteTokens: number
  longCacheWriteTokens: number
  audioInputTokens: number
  imageInputTokens: number
  completionTokens: number
  /** Parts of `completionTokens`. */
  reasoningTokens: number
  audioOutputTokens: number
  imageOutputTokens: number
  /** Calls of tools that the provider runs. */
  toolCalls: number
  /** The same by the tool's type; null if there were none, or if their types are not known. */
  calls: Readonly<Record<string, number>> | null
}

/**
 * Computes a cost in nanodollars (1e-9 USD), rounded up once. Rates are whole picodollars per token. Whole nanodollars
 * and remainders are added separately. With the catalog's limits, every product and sum is then a safe integer.
 *
 * If the parts of the prompt or the output are more than the whole, they overlap. Then tokens count as the dearest kind
 * first.
 */
export function cost(usage: PricedUsage, rates: ChargeRates): number {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage
  const furtherInput =
    usage.cacheWriteTokens + usage.longCacheWriteTokens + usage.audioInputTokens + usage.imageInputTokens
  const furtherOutput = usage.audioOutputTokens + usage.imageOutputTokens
  // Nearly all requests have none of these.
  if (furtherInput + furtherOutput + usage.toolCalls > 0) return costOfKinds(usage, rates)
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

type Part = readonly [tokens: number, picos: number]

function costOfKinds(usage: PricedUsage, rates: ChargeRates): number {
  const prompt = dearestFirst(usage.promptTokens, rates.inputPicos, [
    [usage.cachedTokens, rates.cachedInputPicos],
    [usage.cacheWriteTokens, rates.cacheWritePicos],
    [usage.longCacheWriteTokens, rates.longCacheWritePicos],
    [usage.audioInputTokens, rates.audioInputPicos],
    [usage.imageInputTokens, rates.imageInputPicos]
  ])
  const output = dearestFirst(usage.completionTokens, rates.outputPicos, [
    [usage.reasoningTokens, rates.reasoningPicos],
    [usage.audioOutputTokens, rates.audioOutputPicos],
    [usage.imageOutputTokens, rates.imageOutputPicos]
  ])
  let nanos = rates.requestNanos + costOfAllCalls(usage, rates)
  let restPicos = 0
  for (const [tokens, picos] of [...prompt, ...output]) {
    nanos += tokens * wholeNanos(picos)
    restPicos += tokens * (picos % 1000)
  }
  return nanos + Math.ceil(restPicos / 1000)
}

/**
 * Divides a whole into its parts and the tokens without a part. The dearest kind gets its tokens first, each at most
 * what is left.
 */
function dearestFirst(whole: number, plainPicos: number, parts: readonly Part[]): Part[] {
  let left = whole
  const plain = whole - parts.reduce((sum, [tokens]) => sum + tokens, 0)
  const all: Part[] = [[Math.max(0, plain), plainPicos], ...parts]
  return all
    .sort(([, one], [, other]) => other - one)
    .map(([tokens, picos]): Part => {
      const counted = Math.min(tokens, left)
      left -= counted
      return [counted, picos]
    })
}

/** Calls of an unknown type, or of one without a price, cost the dearest price of a call. */
function costOfAllCalls({ toolCalls, calls }: PricedUsage, rates: ChargeRates): number {
  let left = toolCalls
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
