/** What a provider bills with its own price, besides plain prompt and completion tokens. */
export interface BilledKinds {
  /** Part of the prompt tokens: written to the cache for its short lifetime (5 or 30 minutes). */
  readonly cacheWriteTokens: number
  /** Part of the prompt tokens: written to the cache for its long lifetime (1 or 12 hours). */
  readonly cacheWriteLongTokens: number
  /** Part of the prompt tokens. */
  readonly audioPromptTokens: number
  /** Part of the prompt tokens. */
  readonly imagePromptTokens: number
  /** Part of the completion tokens. */
  readonly audioCompletionTokens: number
  /** Part of the completion tokens. */
  readonly imageCompletionTokens: number
  /** Calls of the provider's own tools by name, such as `web_search`. */
  readonly toolCalls: Readonly<Record<string, number>>
  /** The tier that served the request, in the provider's word; null if the endpoint has no tiers. */
  readonly serviceTier: string | null
}

/** The bill of an answer that has none of these kinds. */
export const noKinds: BilledKinds = {
  cacheWriteTokens: 0,
  cacheWriteLongTokens: 0,
  audioPromptTokens: 0,
  imagePromptTokens: 0,
  audioCompletionTokens: 0,
  imageCompletionTokens: 0,
  toolCalls: {},
  serviceTier: null
}
