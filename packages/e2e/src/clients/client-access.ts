import type { TestSystem } from '../start-test-system.ts'

/** Address and keys that a client needs. */
export interface ClientAccess {
  system: TestSystem
  /** With its version: `http://127.0.0.1:<port>/v1`. */
  baseURL: string
  /** Without its version, as Anthropic's SDK wants it. */
  origin: string
  /** The key of an account with all models. */
  apiKey: string
  /** The key of an account on the free plan. */
  freeApiKey: string
}

/** Models that these tests add to the catalog → how the model server answers. */
export const misbehaving = {
  'fails-every-second': 'gpt-4o-mini+status=500+every=2',
  // Longer than the gateway waits before a retry, but the SDK waits that long.
  'asks-to-wait': 'gpt-4o-mini+status=503+every=2+retry-after=3',
  'fails-always': 'gpt-4o-mini+status=500',
  'breaks-off': 'gpt-4o-mini+reset-after=3'
}

/** Models of the Responses and Messages APIs → their names at the model server. Each client has its own, so that its bill is its own. */
export const clientModels = Object.fromEntries(
  ['openai', 'ai-openai', 'agents', 'langchain-openai', 'anthropic', 'ai-anthropic', 'langchain-anthropic'].map(
    (client) => [`client-${client}`, `client-${client}`]
  )
)

export const twentyWords = /^(\w+ ){19}\w+$/
