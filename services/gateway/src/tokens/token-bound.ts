import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { RareCounts } from '@tollgate/contracts/meters/meters.ts'
import type { Edit } from '../body/members.ts'

/** The maximum tokens of a request, before its output is granted. */
export interface TokenBound {
  promptTokens: number
  /** Bytes of text that are a part of `promptTokens`; absent for none. */
  textBytes?: number
  /** What the prompt counts for the rate of tokens: an estimate, at most `promptTokens`; absent for all of it. */
  ratedTokens?: number
  /** The most of other meters: audio and images of the prompt, and what is no token. Absent for none. */
  others?: RareCounts
  /** How many answers the request asks for. Each may have all of the granted output. */
  answers: number
  /** Tokens of output wanted for each answer. */
  wantedTokens: number
  /** Minimum output that the API accepts; 0 if absent. */
  minTokens?: number
  /** Whether the client set no limit, so that `wantedTokens` is the model's default. */
  isDefault?: boolean
  /** Whether the provider produces answers that it does not show. */
  hidesAnswers?: boolean
  /** The service tiers that may serve the request; absent for only the standard one. */
  tiers?: readonly string[]
  /** Maximum calls of tools that the provider runs, by the provider's type of tool; absent for none. */
  calls?: Readonly<Record<string, number>>
  /** How often each answer may have all of its output; absent for once. */
  outputs?: number
  /** Set by the endpoint if the provider may search the web. */
  searches?: HostedSearches
  /** The granted calls of such a tool; absent for none. */
  granted?: GrantedCalls
  /** The same request with fewer calls; null if it has only one. */
  fewerCalls?: (() => TokenBound) | null
  /** Cache writes that the provider may bill; absent for all that the model has a price for. */
  cacheWrites?: 'none' | 'short'
  /** Whether the request asks the provider to keep its prompt for the provider's long time; absent for no. */
  asksForLongWrites?: boolean
}

/** A request in which the provider may search the web, before its calls are granted. */
export interface HostedSearches {
  /** The client's limit of calls; null for none. */
  readonly asked: number | null
  /** How often the provider may read the prompt. Each call of the tool begins another pass with a longer one. */
  readonly passes: (calls: number) => number
  /** How often the output may reach its limit: with each pass, or once. */
  readonly outputs: (calls: number) => number
  /** Limits the calls in the body. */
  readonly limit: (calls: number) => Edit
}

/** Calls of a tool that the provider runs. */
export interface GrantedCalls {
  /** The type of tool, as the catalog names it. */
  readonly type: string
  readonly calls: number
  /** Limits the calls in the body. */
  readonly edit: Edit
}

/**
 * Counts a bound's text by its bytes: for money by what the operator declares, a token for each byte without that; for
 * the rate of tokens by what was measured.
 */
export function countText<Bound extends Pick<TokenBound, 'promptTokens' | 'textBytes'>>(
  bound: Bound,
  { bytesPerToken: declared = 1 }: Pick<Model, 'bytesPerToken'>,
  measured: number
): Bound & { ratedTokens: number } {
  const { textBytes = 0 } = bound
  const other = bound.promptTokens - textBytes
  const promptTokens = other + Math.ceil(textBytes / declared)
  return { ...bound, promptTokens, ratedTokens: Math.min(promptTokens, other + Math.ceil(textBytes / measured)) }
}

/** The output that a request wants: the client's limit or the catalog's default, up to the model's maximum. */
export function wantedOutput(limit: number | null | undefined, model: Model): number {
  return Math.min(limit ?? model.defaultOutputTokens, model.maxOutputTokens)
}
