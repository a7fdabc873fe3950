import type { Answer } from './answer.ts'
import type { Behaviour } from './model-name.ts'

/** A `usage` object, possibly with invalid counts. */
export type ReportedUsage = Record<string, unknown>

/** Invalid token counts that providers have reported. */
export function oddTokens(kind: Exclude<Behaviour['odd-usage'], undefined>, counted: Counted): unknown {
  if (kind === 'text') return String(counted.completionTokens)
  if (kind === 'fraction') return counted.completionTokens + 0.5
  if (kind === 'negative') return -counted.completionTokens
  if (kind === 'outside') return counted.completionTokens - counted.reasoningTokens
  return kind === 'zero' ? 0 : null
}

export type Counted = Pick<Answer, 'promptTokens' | 'cachedTokens' | 'reasoningTokens' | 'completionTokens' | 'kinds'>

/**
 * Builds the usage of an answer, with the chat endpoint's details.
 *
 * @returns null if the model name asks to omit it
 */
export function reportUsage(counted: Counted, behaviour: Behaviour): ReportedUsage | null {
  const odd = behaviour['odd-usage']
  if (behaviour['no-usage'] === true) return null
  if (odd === 'none') return {}
  const { kinds } = counted
  const writes = kinds.cacheWriteTokens + kinds.cacheWriteLongTokens
  const completion = behaviour['report-tokens'] ?? counted.completionTokens
  return {
    prompt_tokens: counted.promptTokens,
    ...(odd !== 'missing' && { completion_tokens: odd === undefined ? completion : oddTokens(odd, counted) }),
    ...((odd === undefined || odd === 'outside') && { total_tokens: counted.promptTokens + completion }),
    prompt_tokens_details: {
      cached_tokens: counted.cachedTokens,
      audio_tokens: kinds.audioPromptTokens,
      ...(writes > 0 && { cache_write_tokens: writes }),
      ...(kinds.imagePromptTokens > 0 && { image_tokens: kinds.imagePromptTokens })
    },
    completion_tokens_details: {
      reasoning_tokens: counted.reasoningTokens,
      audio_tokens: kinds.audioCompletionTokens,
      ...(kinds.imageCompletionTokens > 0 && { image_tokens: kinds.imageCompletionTokens }),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0
    }
  }
}
