import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'

type Model = Catalog['models'][string]

/** Ways of the preferred upstream to fail before the first byte of an answer: nobody should notice. */
const hidden = {
  'status 503': '+status=503',
  'status 429': '+status=429+retry-after=1',
  'reset before the first byte': '+reset-after=0'
}
/** Each of the two upstreams breaks a stream off after so many events, so that it does not matter which one is asked. */
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
/** The pace of streams, and what makes it sure that a client can leave before the answer is complete. */
const behaviours = {
  chat: '+pace-ms=2',
  completion: '+pace-ms=2',
  embedding: '',
  slow: '+first-byte-ms=500',
  endless: '+pace-ms=10'
}

/** The name of a model, in the catalog of the soak, whose upstreams answer rightly or fail in one way. */
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
    const sound = `sandbox-${name}${behaviour}`
    const kind = kinds[name]
    entries[modelName(name)] = entry(kind, sound, sound)
    for (const failure of hiddenFailures) {
      entries[modelName(name, failure)] = entry(kind, `${sound}${hidden[failure]}`, sound)
    }
    for (const [failure, directive] of Object.entries(broken) as Array<[keyof typeof broken, string]>) {
      entries[modelName(name, failure)] = entry(kind, sound + directive, sound + directive)
    }
  }
  return entries
}

/** A model for every way of answering, in a plan that limits nothing. */
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
