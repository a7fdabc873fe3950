import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import type { Usage } from '../usage/usage.ts'

/** What the prompt of a call may have, besides plain text. */
export interface PromptKinds {
  /** The maximum tokens of its audio and its images. */
  readonly audioTokens: number
  readonly imageTokens: number
  /** Whether the provider may write it into its cache. */
  readonly mayWriteToCache: boolean
  /** Whether the request asks the provider to keep it for the provider's long time. */
  readonly asksForLongWrites: boolean
}

/**
 * Divides a prompt that the provider did not report. Each token counts as the dearest kind that it may be, because a provider bills
 * what it read and wrote into its cache even if the answer breaks off.
 */
export function estimatedPromptKinds(
  promptTokens: number,
  { audioTokens, imageTokens, mayWriteToCache, asksForLongWrites }: PromptKinds,
  { inputPicos, cacheWritePicos, longCacheWritePicos, audioInputPicos, imageInputPicos }: ModelPrices
): Pick<Usage, 'audioInputTokens' | 'imageInputTokens' | 'cacheWriteTokens' | 'longCacheWriteTokens'> {
  const audio = audioInputPicos === undefined ? 0 : Math.min(audioTokens, promptTokens)
  const image = imageInputPicos === undefined ? 0 : Math.min(imageTokens, promptTokens - audio)
  const text = promptTokens - audio - image
  const isLong = asksForLongWrites && longCacheWritePicos !== undefined
  const writePicos = isLong ? longCacheWritePicos : cacheWritePicos
  const written = mayWriteToCache && writePicos !== undefined && writePicos > inputPicos ? text : 0
  return {
    audioInputTokens: audio,
    imageInputTokens: image,
    cacheWriteTokens: isLong ? 0 : written,
    longCacheWriteTokens: isLong ? written : 0
  }
}

/** The usage, with cache writes of an unknown time as those that the request asked for. */
export function withWriteTimes(usage: Usage, { asksForLongWrites }: PromptKinds): Usage {
  if (!usage.writesForUnknownTime || !asksForLongWrites) return usage
  const { cacheWriteTokens, longCacheWriteTokens } = usage
  return { ...usage, cacheWriteTokens: 0, longCacheWriteTokens: cacheWriteTokens + longCacheWriteTokens }
}
