import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { Usage } from '../usage/usage.ts'

/** Cost in nanodollars (1e-9 USD), rounded up once. Prices are whole picodollars per token; every product is a safe integer. */
export function costNanos(usage: Usage, prices: Model['prices']): number {
  const { outputPicos, reasoningPicos = outputPicos } = prices
  const picos =
    (usage.promptTokens - usage.cachedTokens) * prices.inputPicos +
    usage.cachedTokens * prices.cachedInputPicos +
    (usage.completionTokens - usage.reasoningTokens) * outputPicos +
    usage.reasoningTokens * reasoningPicos
  return Math.ceil(picos / 1000)
}
