import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'

type Model = Catalog['models'][string]

/** Failures of the preferred upstream before the first byte of an answer. Clients should not notice them. */
const hidden = {
  'status 503': '+status=503',
  'status 429': '+status=429+retry-after=1',
  'reset before the first byte': '+reset-after=0'
}
/** Both upstreams break a stream off after this many events, so the choice between them does not matter. */
export const brokenAfter = 5
const broken = { 'reset in the middle': `+reset-after=${brokenAfter}` }

export type HiddenFailure = keyof typeof hidden
export const hiddenFailures = Object.keys(hidden) as HiddenFailure[]
export type Failure = HiddenFailure | keyof typeof broken

const kinds = {
  chat: 'chat',
  completion: 'completion',
  embedding: 'embedding',
  slow: 'chat',
  endless: 'chat'
} as const
export type SteadyModel = keyof typeof kinds
/** The pace of streams. `slow` and `endless` let a client leave before the answer is complete. */
const behaviours = {
  chat: '+pace-ms=2',
  completion: '+pace-ms=2',
  embedding: '',
  slow: '+first-byte-ms=500',
  endless: '+pace-ms=10'
}

/** The catalog's name of a model with this failure of its upstreams; null: no failure. */
export function modelName(model: SteadyModel, failure: Failure | null = null): string {
  return failure === null ? model : `${model}, ${failure}`
}

function entry(kind: Model['kind'], preferred: string, other: string): Model {
  return {
    kind,
    ownedBy: 'soak',
    created: 1_790_000_000,
    route: [
      { upstream: 'preferred', model: preferred, priority: 0, weight: 1 },
      { upstream: 'other', model: other, priority: 1, weight: 1 }
    ],
    prices: { inputPicos: 75_000, cachedInputPicos: 7_500, outputPicos: kind === 'embedding' ? 0 : 300_000 },
    contextWindow: 128_000,
    maxOutputTokens: kind === 'embedding' ? 0 : 16_384,
    defaultOutputTokens: kind === 'embedding' ? 0 : 1000,
    fewestOutputTokens: kind === 'embedding' ? 0 : 16,
    outputParameter: 'max_tokens',
    tokenizer: null
  }
}

function models(): Catalog['models'] {
  const entries: Catalog['models'] = {}
  for (const [name, behaviour] of Object.entries(behaviours) as Array<[SteadyModel, string]>) {
    const healthy = `sandbox-${name}${behaviour}`
    const kind = kinds[name]
    entries[modelName(name)] = entry(kind, healthy, healthy)
    for (const failure of hiddenFailures) {
      entries[modelName(name, failure)] = entry(kind, `${healthy}${hidden[failure]}`, healthy)
    }
    for (const [failure, directive] of Object.entries(broken) as Array<[keyof typeof broken, string]>) {
      entries[modelName(name, failure)] = entry(kind, healthy + directive, healthy + directive)
    }
  }
  return entries
}

/** A model for each behaviour of the upstream, in a plan whose limits no request reaches. */
export const soakCatalog: Catalog = {
  models: models(),
  plans: {
    free: {
      name: 'Soak',
      entitlements: [],
      keyQuota: null,
      seats: null,
      models: Object.keys(models()),
      limits: {
        requestsPerMinute: 1e9,
        burstRequests: 1e9,
        tokensPerMinute: 1e12,
        burstTokens: 1e12,
        concurrentRequests: 1e6
      },
      caps: { requestNanos: 1e12, monthlyNanos: 1e15 }
    }
  }
}
