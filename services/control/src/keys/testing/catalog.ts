import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'

const model: Catalog['models'][string] = {
  kind: 'chat',
  ownedBy: 'tests',
  created: 1_700_000_000,
  route: [{ upstream: 'test', model: 'x', priority: 0, weight: 1 }],
  prices: { inputPicos: 1, cachedInputPicos: 1, outputPicos: 1 },
  contextWindow: 1000,
  maxOutputTokens: 1000,
  defaultOutputTokens: 1000,
  fewestOutputTokens: 16,
  outputParameter: 'max_tokens',
  tokenizer: null
}

const plan = (models: string[]): Catalog['plans'][string] => ({
  name: 'Test',
  entitlements: [],
  keyQuota: 1,
  seats: null,
  models,
  limits: { requestsPerMinute: 1, burstRequests: 1, tokensPerMinute: 1, burstTokens: 1, concurrentRequests: 1 },
  caps: { requestNanos: 1, monthlyNanos: 1 }
})

/** One model for every plan, and one for paid plans. */
export const testCatalog: Catalog = {
  models: { small: model, large: model },
  plans: { free: plan(['small']), pro: plan(['small', 'large']) }
}
