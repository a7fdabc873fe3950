import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RareCounts } from '@tollgate/contracts/meters/meters.ts'
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
 * Bounds a request in which the provider may search the web. Each pass reads the prompt and what the searches before it
 * found, and all passes are billed. What a search finds has no known length: the operator may bound it, else each pass
 * may fill the model's context. If the request is refused, it is tried again with a quarter of the calls.
 */
export function grantSearches(
  bound: TokenBound,
  { contextWindow, searchTokens }: Pick<Model, 'contextWindow' | 'searchTokens'>
): TokenBound {
  const { searches } = bound
  if (searches === undefined) return bound
  const { promptTokens, ratedTokens = promptTokens, others } = bound
  /** What all passes read. Each but the last may end with a search. */
  const readBy = (tokens: number, passes: number): number => {
    if (searchTokens === undefined) return Math.max(tokens, contextWindow) + (passes - 1) * contextWindow
    let read = 0
    for (let pass = 0; pass < passes; pass++) {
      read += Math.max(tokens, Math.min(contextWindow, tokens + pass * searchTokens))
    }
    return read
  }
  const withCalls = (calls: number): TokenBound => {
    // What the operator bounds is a pass after each search. Passes of searches beyond the limit are at their risk, too.
    const most = searchTokens === undefined ? Number.POSITIVE_INFINITY : calls + 1
    const passes = Math.min(searches.passes(calls), most)
    return {
      ...bound,
      promptTokens: readBy(promptTokens, passes),
      ratedTokens: readBy(ratedTokens, passes),
      ...(others !== undefined && { others: times(others, passes) }),
      outputs: Math.min(searches.outputs(calls), most),
      calls: { [webSearch]: calls },
      // The answer does not show what was found.
      hidesAnswers: true,
      granted: { type: webSearch, calls, edit: searches.limit(calls) },
      fewerCalls: calls === 1 ? null : () => withCalls(Math.max(1, Math.floor(calls / 4)))
    }
  }
  return withCalls(Math.min(searches.asked ?? defaultCalls, maxCalls))
}

const times = (counts: RareCounts, factor: number): RareCounts =>
  Object.fromEntries(Object.entries(counts).map(([counter, count]) => [counter, count * factor]))
