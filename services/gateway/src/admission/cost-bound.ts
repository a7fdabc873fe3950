import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { CostBound } from '@tollgate/contracts/redis/admit.ts'

/** The most tokens that a request can use, apart from how many of output it is granted. */
export type TokenBound = {
  promptTokens: number
  /** How many answers there are, each with as much output as is granted. */
  answers: number
  /** Tokens of output that are wanted for each. */
  wantedTokens: number
  /** Whether answers are produced that are not shown. */
  hidesAnswers?: boolean
}

/** What tokens cost at most, in the form that admission takes. */
export function costBound({ promptTokens, answers, wantedTokens }: TokenBound, model: Model): CostBound {
  const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = outputPicos } = model.prices
  return {
    promptPicos: promptTokens * Math.max(inputPicos, cachedInputPicos),
    promptTokens,
    outputPicos: answers * Math.max(outputPicos, reasoningPicos),
    outputTokens: answers,
    wantedTokens,
    fewestTokens: Math.min(model.fewestOutputTokens, wantedTokens)
  }
}

/**
 * A bound that also fits into what may be used in a minute, with less output if need be: more is never let through.
 *
 * @returns null if the fewest tokens of output are too many still
 */
export function withinRate(bound: CostBound, tokensPerMinute: number): CostBound | null {
  const { promptTokens, outputTokens, wantedTokens, fewestTokens } = bound
  if (promptTokens + outputTokens * wantedTokens <= tokensPerMinute) return bound
  if (promptTokens + outputTokens * fewestTokens > tokensPerMinute) return null
  return { ...bound, wantedTokens: Math.floor((tokensPerMinute - promptTokens) / outputTokens) }
}

/** The output that a request wants: what its client says, or else what the catalog does; and no more than the model has. */
export function wantedOutput(limit: number | null | undefined, model: Model): number {
  return Math.min(limit ?? model.defaultOutputTokens, model.maxOutputTokens)
}
