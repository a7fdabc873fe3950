import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { ListedPrices, ModelPrices, PriceRow } from '@tollgate/contracts/prices/model-prices.ts'
import { defaultBurst } from '@tollgate/service/catalog/catalog-file.ts'

type Model = Catalog['models'][string]
type Plan = Catalog['plans'][string]

/** Prices of most metered models except embedding models, picodollars per token. */
export const prices = { inputPicos: 150_000, cachedInputPicos: 75_000, outputPicos: 600_000 }

/** A different price for each kind of tokens, so that a token that is charged as another kind shows. */
const pricesOfKinds: ListedPrices = {
  inputPicos: 150_001,
  cachedInputPicos: 75_003,
  cacheWritePicos: 187_507,
  longCacheWritePicos: 300_007,
  audioInputPicos: 1_000_003,
  imageInputPicos: 211_009,
  outputPicos: 600_011,
  reasoningPicos: 700_013,
  audioOutputPicos: 2_000_017,
  imageOutputPicos: 3_000_019
}

/** Prompts with more tokens cost more. Most prompts of tests have fewer, some have more. */
const stepTokens = 200

const timesPrices = (factor: number): ListedPrices =>
  Object.fromEntries(
    Object.entries(pricesOfKinds).map(([kind, picos]) => [kind, Math.floor(picos * factor)])
  ) as ListedPrices

const rowsOf = (tier: string, factor: number): PriceRow[] => [
  { tier, abovePromptTokens: 0, prices: timesPrices(factor) },
  { tier, abovePromptTokens: stepTokens, prices: timesPrices(factor * 1.5) }
]

/** Prices of every kind: tokens, tiers, steps by the length of the prompt, calls of tools, and requests. */
export const everyPrice: ModelPrices = {
  ...pricesOfKinds,
  periods: [{ rows: [...rowsOf('default', 1), ...rowsOf('flex', 0.5), ...rowsOf('priority', 2)] }],
  requestNanos: 5003,
  callNanos: { web_search: 1_000_019 }
}

/** What a template adds. Few, so that tests can compute what is reserved. */
const around = { request: 0, message: 8 }

/**
 * Describes a chat model.
 *
 * @param name at the model server, with directives for its behaviour
 */
export function chatModel(name: string, upstream = 'models'): Model {
  return {
    kind: 'chat',
    ownedBy: 'tests',
    created: 1_790_000_000,
    route: [{ upstream, model: name, priority: 0, weight: 1 }],
    prices,
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    defaultOutputTokens: 1000,
    fewestOutputTokens: 16,
    outputParameter: 'max_tokens',
    templateTokens: { chat: around, responses: around, messages: around },
    tokenizer: null
  }
}

export function completionModel(name: string, upstream?: string): Model {
  return { ...chatModel(name, upstream), kind: 'completion' }
}

export function embeddingModel(name: string, upstream?: string): Model {
  const none = { maxOutputTokens: 0, defaultOutputTokens: 0, fewestOutputTokens: 0 }
  return { ...chatModel(name, upstream), ...none, kind: 'embedding', prices: { ...prices, outputPicos: 0 } }
}

/** Describes a plan with all of these models and only these limits. */
export function planOf(
  models: Catalog['models'],
  limits: Partial<Plan['limits']> = {},
  caps: Partial<Plan['caps']> = {}
): Plan {
  return {
    name: 'Tests',
    entitlements: [],
    keyQuota: null,
    seats: null,
    models: Object.keys(models),
    limits: {
      requestsPerMinute: 1e9,
      burstRequests: defaultBurst(limits.requestsPerMinute ?? 1e9),
      tokensPerMinute: 1e12,
      burstTokens: defaultBurst(limits.tokensPerMinute ?? 1e12),
      concurrentRequests: 1e6,
      ...limits
    },
    caps: { requestNanos: 1e12, monthlyNanos: 1e15, ...caps }
  }
}
