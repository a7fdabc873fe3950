import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { AdmitAnswer, Allowances, CostBound } from '@tollgate/state/admission/admit.ts'
import type { TokenBound } from '../tokens/token-bound.ts'

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

/** A default is granted at least this share of itself: after waiting if need be. A shorter answer would be of little use. */
const minDefaultShare = 1 / 4

type TokenRefusal = AdmitAnswer & { outcome: 'over-limit' }

/**
 * Shrinks a default that the rate of tokens has refused: the client asked for no such length, so it must not wait for it.
 *
 * @param bound as it was refused
 * @returns the output to ask for instead; or the refusal, with the time until the least that is granted fits
 */
export function shrinkDefault(
  { promptTokens, outputTokens, wantedTokens, fewestTokens }: CostBound,
  refusal: TokenRefusal,
  { tokens: perMinute, tokenBurst }: Pick<Allowances, 'tokens' | 'tokenBurst'>
): number | TokenRefusal {
  const least = Math.max(fewestTokens, Math.ceil(wantedTokens * minDefaultShare))
  const room = Math.floor((refusal.tokensLeft - promptTokens) / outputTokens)
  if (room >= least) return Math.min(room, wantedTokens)
  // What is more than the burst passes when no tokens are owed; what is less, so much earlier.
  const spare = Math.max(0, tokenBurst - promptTokens - outputTokens * least)
  const waitMs = Math.ceil(Math.max(0, refusal.tokensRestMs - (spare * 60_000) / perMinute))
  return { ...refusal, waitMs: Math.min(refusal.waitMs, waitMs) }
}
