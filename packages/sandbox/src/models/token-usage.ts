import type { Answer } from './answer.ts'
import type { Behaviour } from './model-name.ts'
import type { BilledKinds } from './request-recorder.ts'

/** The tokens of what one search finds. */
const tokensPerSearch = 60

/** A `usage` object, possibly with invalid counts. */
export type ReportedUsage = Record<string, unknown>

/** Invalid token counts that providers have reported. */
export function oddTokens(kind: Exclude<Behaviour['odd-usage'], undefined>, counts: Counted): unknown {
  if (kind === 'text') return String(counts.completionTokens)
  if (kind === 'fraction') return counts.completionTokens + 0.5
  if (kind === 'negative') return -counts.completionTokens
  if (kind === 'outside') return counts.completionTokens - counts.reasoningTokens
  return kind === 'zero' ? 0 : null
}

export type Counted = Pick<Answer, 'promptTokens' | 'cachedTokens' | 'reasoningTokens' | 'completionTokens' | 'kinds'>

/**
 * Builds the usage of an answer, with the chat endpoint's details.
 *
 * @returns null if the model name asks to omit it
 */
export function reportUsage(counts: Counted, behaviour: Behaviour): ReportedUsage | null {
  const odd = behaviour['odd-usage']
  if (behaviour['no-usage'] === true) return null
  if (odd === 'none') return {}
  const { kinds } = counts
  const writes = kinds.cacheWriteTokens + kinds.cacheWriteLongTokens
  const completion = behaviour['report-tokens'] ?? counts.completionTokens
  return {
    prompt_tokens: counts.promptTokens,
    ...(odd !== 'missing' && { completion_tokens: odd === undefined ? completion : oddTokens(odd, counts) }),
    ...((odd === undefined || odd === 'outside') && { total_tokens: counts.promptTokens + completion }),
    prompt_tokens_details: {
      cached_tokens: counts.cachedTokens,
      audio_tokens: kinds.audioPromptTokens,
      ...(writes > 0 && { cache_write_tokens: writes }),
      ...(kinds.imagePromptTokens > 0 && { image_tokens: kinds.imagePromptTokens })
    },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoningTokens,
      audio_tokens: kinds.audioCompletionTokens,
      ...(kinds.imageCompletionTokens > 0 && { image_tokens: kinds.imageCompletionTokens }),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0
    }
  }
}

type PromptKinds = { readonly cachedTokens: number } & Pick<
  BilledKinds,
  'cacheWriteTokens' | 'cacheWriteLongTokens' | 'audioPromptTokens' | 'imagePromptTokens'
>

/**
 * Splits prompt tokens into the kinds that the directives ask for. Cached and written tokens do not overlap, nor do
 * audio and image tokens; what exceeds the prompt is cut off.
 *
 * @param audioTokens the tokens of the prompt's audio, unless a directive sets another number
 */
export function promptKinds(promptTokens: number, behaviour: Behaviour, audioTokens = 0): PromptKinds {
  const cachedTokens = Math.min(behaviour['cached-tokens'] ?? 0, promptTokens)
  const cacheWriteTokens = Math.min(behaviour['cache-write-tokens'] ?? 0, promptTokens - cachedTokens)
  const unwritten = promptTokens - cachedTokens - cacheWriteTokens
  const audioPromptTokens = Math.min(behaviour['audio-tokens'] ?? audioTokens, promptTokens)
  return {
    cachedTokens,
    cacheWriteTokens,
    cacheWriteLongTokens: Math.min(behaviour['cache-write-long-tokens'] ?? 0, unwritten),
    audioPromptTokens,
    imagePromptTokens: Math.min(behaviour['image-tokens'] ?? 0, promptTokens - audioPromptTokens)
  }
}

/**
 * The input tokens that searches add. After each of them, the model reads the prompt again, with all that was found.
 *
 * @param promptTokens of the first pass
 */
export const foundTokens = (promptTokens: number, searches: number): number =>
  searches * promptTokens + (tokensPerSearch * searches * (searches + 1)) / 2

/**
 * The tier with which OpenAI's API serves a request: the directive `tier`, else the tier asked for. `fast` is
 * `priority`.
 */
export function openaiTier(requestTier: unknown, { tier }: Behaviour): string {
  if (tier !== undefined) return tier
  if (typeof requestTier !== 'string' || requestTier === 'auto') return 'default'
  return requestTier === 'fast' ? 'priority' : requestTier
}
