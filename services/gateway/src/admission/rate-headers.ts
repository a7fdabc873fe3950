import type { RateState } from '@tollgate/state/admission/admit.ts'

/**
 * The rate limit headers of OpenAI's API: names and values, alternating.
 *
 * @param tokensPerMinute of the account, and `mostTokens` of the key, if that has fewer
 */
export function rateFields(
  state: RateState,
  { tokensPerMinute, mostTokens }: { tokensPerMinute: number; mostTokens: number }
): string[] {
  const isOfKey = mostTokens < tokensPerMinute && state.tokensLeft < mostTokens
  return [
    'x-ratelimit-limit-requests',
    String(state.requests),
    'x-ratelimit-limit-tokens',
    String(mostTokens),
    'x-ratelimit-remaining-requests',
    String(state.requestsLeft),
    'x-ratelimit-remaining-tokens',
    String(state.tokensLeft),
    'x-ratelimit-reset-requests',
    duration(state.requestsRestMs),
    'x-ratelimit-reset-tokens',
    duration(isOfKey ? Math.max(state.tokensRestMs, untilNextMinute()) : state.tokensRestMs)
  ]
}

/** When the tokens of a key are all back, by the clock of this process, ms. */
const untilNextMinute = (): number => minuteMs - (Date.now() % minuteMs)
const minuteMs = 60_000

/** Formats a duration like Go: `20ms`, `1.5s`, `1m0s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  if (ms < 60_000) return `${ms / 1000}s`
  return `${Math.floor(ms / 60_000)}m${(ms % 60_000) / 1000}s`
}
