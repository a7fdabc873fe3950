import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { defaultBurst } from '@tollgate/service/catalog/catalog-file.ts'

type Model = Catalog['models'][string]
type Plan = Catalog['plans'][string]

/** Prices of all metered models except embedding models, picodollars per token. */
export const prices = { inputPicos: 150_000, cachedInputPicos: 75_000, outputPicos: 600_000 }

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
