import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { TokenBound } from './token-bound.ts'

/** The provider's type of the tool, as the catalog and usage name it. */
const webSearch = 'web_search'
/** Calls for a request that sets no limit, and the maximum for any. */
const defaultCalls = 8
const maxCalls = 32

/** Refuses the provider's web search if the catalog has no price for it. @throws ServiceError unpriced_parameter */
export function assertSearchPrice({ prices }: Pick<Model, 'prices'>): void {
  if (prices.callNanos !== undefined && Object.hasOwn(prices.callNanos, webSearch)) return
  throw new ServiceError('unpriced_parameter', {
    message: 'tools: the catalog has no price for the web search of this model. Send tools that your application runs.'
  })
}

/**
 * Bounds a request in which the provider may search the web. What a search finds has no known length, but the model's context does: each
 * pass reads at most that, and all of them are billed. If the request is refused, it is tried again with a quarter of the calls.
 */
export function grantSearches(bound: TokenBound, { contextWindow }: Pick<Model, 'contextWindow'>): TokenBound {
  const { searches } = bound
  if (searches === undefined) return bound
  const { promptTokens, audioTokens = 0, imageTokens = 0 } = bound
  const withCalls = (calls: number): TokenBound => {
    const passes = searches.passes(calls)
    return {
      ...bound,
      promptTokens: Math.max(promptTokens, contextWindow) + (passes - 1) * contextWindow,
      audioTokens: audioTokens * passes,
      imageTokens: imageTokens * passes,
      outputs: searches.outputs(calls),
      calls: { [webSearch]: calls },
      // The answer does not show what was found.
      hidesAnswers: true,
      granted: { type: webSearch, calls, edit: searches.limit(calls) },
      fewerCalls: calls === 1 ? null : () => withCalls(Math.max(1, Math.floor(calls / 4)))
    }
  }
  return withCalls(Math.min(searches.asked ?? defaultCalls, maxCalls))
}
