import type { BilledKinds } from './billed-kinds.ts'
import type { Behaviour } from './model-name.ts'

export type PromptKinds = { readonly cachedTokens: number } & Pick<
  BilledKinds,
  'cacheWriteTokens' | 'cacheWriteLongTokens' | 'audioPromptTokens' | 'imagePromptTokens'
>

/**
 * Splits prompt tokens into the kinds that the directives ask for. Cached and written tokens do not overlap, nor do audio and
 * image tokens; what exceeds the prompt is cut off.
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
