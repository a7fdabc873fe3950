import type { CompletionUsage } from 'openai/resources/completions'
import type { Answer } from './answer.ts'
import type { Behaviour } from './model-name.ts'

export type Counted = Pick<Answer, 'promptTokens' | 'cachedTokens' | 'reasoningTokens' | 'completionTokens'>

/**
 * The usage that an answer reports, with the details that the chat endpoint adds.
 *
 * @returns null when the model name asks to leave it out
 */
export function reportUsage(
  counted: Counted,
  audioTokens: number,
  behaviour: Behaviour
): Required<CompletionUsage> | null {
  if (behaviour['no-usage'] === true) return null
  const completion = behaviour['report-tokens'] ?? counted.completionTokens
  return {
    prompt_tokens: counted.promptTokens,
    completion_tokens: completion,
    total_tokens: counted.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: counted.cachedTokens, audio_tokens: audioTokens },
    completion_tokens_details: {
      reasoning_tokens: counted.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0
    }
  }
}
