import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { AdmitAnswer, Allowances, CostBound } from '@tollgate/state/admission/admit.ts'
import type { TokenBound } from '../tokens/token-bound.ts'

/** The maximum cost of tokens, in the form that the admission script takes. */
export function costBound({ promptTokens, answers, wantedTokens, minTokens = 0 }: TokenBound, model: Model): CostBound {
  const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = outputPicos } = model.prices
  return {
    promptPicos: promptTokens * Math.max(inputPicos, cachedInputPicos),
    promptTokens,
    outputPicos: answers * Math.max(outputPicos, reasoningPicos),
    outputTokens: answers,
    wantedTokens,
    minTokens: Math.min(Math.max(model.fewestOutputTokens, minTokens), wantedTokens)
  }
}

/**
 * Lowers the output of a bound to fit into the tokens per minute: larger requests are never admitted.
 *
 * @returns null if even the minimum output does not fit
 */
export function withinRate(bound: CostBound, tokensPerMinute: number): CostBound | null {
  const { promptTokens, outputTokens, wantedTokens, minTokens } = bound
  if (promptTokens + outputTokens * wantedTokens <= tokensPerMinute) return bound
  if (promptTokens + outputTokens * minTokens > tokensPerMinute) return null
  return { ...bound, wantedTokens: Math.floor((tokensPerMinute - promptTokens) / outputTokens) }
}

/** A default output keeps at least this share, perhaps after a wait. A shorter answer would be of little use. */
const minDefaultShare = 1 / 4

type TokenRefusal = AdmitAnswer & { outcome: 'over-limit' }

/**
 * Shrinks a default output that exceeds the rate of tokens. The client did not ask for this length, so it need not wait for it.
 *
 * @param bound of the refused request
 * @returns the output to ask for instead; or the refusal, with the time until the minimum fits
 */
export function shrinkDefault(
  { promptTokens, outputTokens, wantedTokens, minTokens }: CostBound,
  refusal: TokenRefusal,
  { tokens: perMinute, tokenBurst }: Pick<Allowances, 'tokens' | 'tokenBurst'>
): number | TokenRefusal {
  const least = Math.max(minTokens, Math.ceil(wantedTokens * minDefaultShare))
  const room = Math.floor((refusal.tokensLeft - promptTokens) / outputTokens)
  if (room >= least) return Math.min(room, wantedTokens)
  // A request above the burst passes once no tokens are owed. A smaller one passes earlier, by the time that its spare tokens take.
  const spare = Math.max(0, tokenBurst - promptTokens - outputTokens * least)
  const waitMs = Math.ceil(Math.max(0, refusal.tokensRestMs - (spare * 60_000) / perMinute))
  return { ...refusal, waitMs: Math.min(refusal.waitMs, waitMs) }
}
