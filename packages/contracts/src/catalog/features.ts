import type { ModelPrices } from '../prices/model-prices.ts'
import type { ApiName } from './apis.ts'

/** What the catalog states that a model can do, because nothing else of a model tells it. */
export const statedFeatures = ['tools', 'json_mode', 'structured_outputs', 'reasoning'] as const
export type StatedFeature = (typeof statedFeatures)[number]

/** What a model can do besides answering text with text, in the order in which lists show it, with the names for people. */
export const featureTexts = {
  tools: 'Function calls',
  json_mode: 'JSON answers',
  structured_outputs: 'JSON schema',
  reasoning: 'Reasoning',
  web_search: 'Web search',
  prompt_caching: 'Prompt caching'
} as const
export type Feature = keyof typeof featureTexts
/** All of {@link Feature}. */
export const featureNames = Object.keys(featureTexts) as Feature[]

interface Described {
  readonly features?: readonly StatedFeature[]
  readonly prices: ModelPrices
}

/** The APIs at which a provider's search is priced, so that a request may use it. */
const searchApis: ReadonlySet<ApiName> = new Set(['responses', 'messages'])

/**
 * What a model can do: what the catalog states, and what the provider's prices tell. A model that searches has a price
 * for it, and one that finds known prompts again has a lower price for them.
 *
 * @param offered the APIs at which the model is offered; null if they are not known
 */
export function featuresOf({ features = [], prices }: Described, offered: Iterable<ApiName> | null): Feature[] {
  const known = new Set<Feature>(features)
  const maySearch = offered === null || [...offered].some((api) => searchApis.has(api))
  if (maySearch && prices.callNanos?.web_search !== undefined) known.add('web_search')
  if (prices.cachedInputPicos < prices.inputPicos) known.add('prompt_caching')
  return featureNames.filter((name) => known.has(name))
}
