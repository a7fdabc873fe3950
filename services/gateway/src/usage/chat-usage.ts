import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { memberOf } from '../body/member-of.ts'
import { inputParts, nameOf, outputParts, tokensOf } from './reported-counts.ts'
import { nothingUsed, type ReportedUsage } from './usage.ts'

/** Audio tokens per second of Mistral's Voxtral, which reports seconds (docs.mistral.ai, August 2026). */
const mistralTokensPerSecond = 12.5

/**
 * Reads the `usage` object of chat, completions or embeddings (OpenAI's API). Only whole numbers from 0 count as reported. 0 prompt
 * tokens count as missing, because every prompt has some. A part that exceeds its whole counts as the whole, except these:
 *
 * - Some providers leave hidden reasoning out of `completion_tokens` (Gemini, xAI), and include it in `total_tokens`.
 * - Some gateways leave cached tokens out of `prompt_tokens`. It shows if they exceed it.
 * - Mistral reports seconds of audio, which are in no number of tokens.
 *
 * @returns null if the value has neither prompt nor completion tokens
 */
export function readUsage(value: unknown): ReportedUsage | null {
  const reported = tokensOf(value, 'prompt_tokens') || null
  let completion = tokensOf(value, 'completion_tokens')
  if (reported === null && completion === null) return null
  // Mistral has both spellings.
  const details = memberOf(value, 'prompt_tokens_details') ?? memberOf(value, 'prompt_token_details')
  const cached =
    tokensOf(details, 'cached_tokens') ??
    tokensOf(value, 'num_cached_tokens') ??
    tokensOf(value, 'prompt_cache_hit_tokens') ??
    0
  const prompt = reported !== null && cached > reported ? reported + cached : reported
  const total = tokensOf(value, 'total_tokens')
  const outputDetails = memberOf(value, 'completion_tokens_details')
  const reasoning = tokensOf(outputDetails, 'reasoning_tokens') ?? 0
  if (total !== null && prompt !== null && total > prompt) completion = Math.max(completion ?? 0, total - prompt)
  // The other tokens may be prompt or output.
  if (total !== null && prompt === null && total > completion!) return null
  // If reasoning exceeds the completion, the completion does not include it (xAI).
  if (completion !== null && completion > 0 && reasoning > completion) completion += reasoning
  const parts = inputParts(details, prompt ?? 0, cached)
  const seconds = memberOf(value, 'prompt_audio_seconds')
  const audio = typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds * mistralTokensPerSecond) : 0
  const isCount = prompt !== null && prompt + audio <= maxReportedTokens
  return {
    ...nothingUsed,
    ...parts,
    ...outputParts(outputDetails, completion ?? 0),
    promptTokens: isCount ? prompt + audio : null,
    audioInputTokens: isCount ? parts.audioInputTokens + audio : 0,
    completionTokens: completion !== null && completion <= maxReportedTokens ? completion : null,
    tier: nameOf(value, 'service_tier')
  }
}
