import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { AdmitAnswer, Allowances, CostBound } from '@tollgate/state/admission/admit.ts'
import type { TokenBound } from '../tokens/token-bound.ts'

/** The maximum cost of tokens, in the form that admission takes. */
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
 * Lowers the output of a bound to fit into the tokens of a minute: a larger request is never admitted.
 *
 * @returns null if even the minimum output does not fit
 */
export function withinRate(bound: CostBound, tokensPerMinute: number): CostBound | null {
  const { promptTokens, outputTokens, wantedTokens, fewestTokens } = bound
  if (promptTokens + outputTokens * wantedTokens <= tokensPerMinute) return bound
  if (promptTokens + outputTokens * fewestTokens > tokensPerMinute) return null
  return { ...bound, wantedTokens: Math.floor((tokensPerMinute - promptTokens) / outputTokens) }
}

/** A default output shrinks at most to this share, if need be after a wait. A shorter answer would be of little use. */
const minDefaultShare = 1 / 4

type TokenRefusal = AdmitAnswer & { outcome: 'over-limit' }

/**
 * Shrinks a default output that exceeds the rate of tokens. The client did not ask for this length, so it need not wait for it.
 *
 * @param bound of the refused request
 * @returns the output to ask for instead; or the refusal, with the time until the minimum fits
 */
export function shrinkDefault(
  { promptTokens, outputTokens, wantedTokens, fewestTokens }: CostBound,
  refusal: TokenRefusal,
  { tokens: perMinute, tokenBurst }: Pick<Allowances, 'tokens' | 'tokenBurst'>
): number | TokenRefusal {
  const least = Math.max(fewestTokens, Math.ceil(wantedTokens * minDefaultShare))
  const room = Math.floor((refusal.tokensLeft - promptTokens) / outputTokens)
  if (room >= least) return Math.min(room, wantedTokens)
  // More than the burst passes once no tokens are owed. Less passes earlier, by the time that the spare tokens take.
  const spare = Math.max(0, tokenBurst - promptTokens - outputTokens * least)
  const waitMs = Math.ceil(Math.max(0, refusal.tokensRestMs - (spare * 60_000) / perMinute))
  return { ...refusal, waitMs: Math.min(refusal.waitMs, waitMs) }
}
