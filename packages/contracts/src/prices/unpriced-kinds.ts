import type { UnpricedKind } from './charge-rates.ts'
import type { PricedUsage } from './cost.ts'
import { hasTierPrice, type ModelPrices } from './model-prices.ts'

/**
 * The kinds of a usage that the model has no price for. They were charged at the dearest price of their side, and a tier at the dearest
 * that the request allows.
 */
export function unpricedKinds(usage: PricedUsage & { tier: string | null }, prices: ModelPrices): UnpricedKind[] {
  const { callNanos = {} } = prices
  const counts: ReadonlyArray<readonly [UnpricedKind, count: number, price: number | undefined]> = [
    ['cache_write', usage.cacheWriteTokens, prices.cacheWritePicos],
    ['cache_write_long', usage.longCacheWriteTokens, prices.longCacheWritePicos],
    ['audio_input', usage.audioInputTokens, prices.audioInputPicos],
    ['audio_output', usage.audioOutputTokens, prices.audioOutputPicos],
    ['image_output', usage.imageOutputTokens, prices.imageOutputPicos]
  ]
  const kinds: UnpricedKind[] = counts.flatMap(([kind, count, price]) =>
    count > 0 && price === undefined ? [kind] : []
  )
  const types = Object.keys(usage.calls ?? {}).filter((type) => usage.calls![type]! > 0)
  const known = types.reduce((sum, type) => sum + usage.calls![type]!, 0)
  const isUnknown = usage.toolCalls > known || types.some((type) => !Object.hasOwn(callNanos, type))
  if (usage.toolCalls > 0 && isUnknown) kinds.push('calls')
  if (usage.tier !== null && !hasTierPrice(prices, usage.tier)) kinds.push('service_tier')
  return kinds
}
