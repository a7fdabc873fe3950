import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { Usage } from '../usage/usage.ts'

/**
 * Computes a cost in nanodollars (1e-9 USD), rounded up once. Prices are whole picodollars per token. Whole nanodollars and
 * remainders are added separately. With the catalog's limits, every product and sum is then a safe integer.
 */
export function costNanos(usage: Usage, prices: Model['prices']): number {
  const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = outputPicos } = prices
  const input = usage.promptTokens - usage.cachedTokens
  const output = usage.completionTokens - usage.reasoningTokens
  const restPicos =
    input * (inputPicos % 1000) +
    usage.cachedTokens * (cachedInputPicos % 1000) +
    output * (outputPicos % 1000) +
    usage.reasoningTokens * (reasoningPicos % 1000)
  return (
    input * wholeNanos(inputPicos) +
    usage.cachedTokens * wholeNanos(cachedInputPicos) +
    output * wholeNanos(outputPicos) +
    usage.reasoningTokens * wholeNanos(reasoningPicos) +
    Math.ceil(restPicos / 1000)
  )
}

const wholeNanos = (picos: number): number => (picos - (picos % 1000)) / 1000
