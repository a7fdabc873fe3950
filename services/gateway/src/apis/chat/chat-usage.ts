import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { memberOf } from '../../body/json-text.ts'
import { nameOf, readParts, tokensOf } from '../../usage/reported-counts.ts'
import { noUsage, type ReportedUsage } from '../../usage/usage.ts'

/**
 * Mistral's Voxtral has a token for 80 ms of audio. Recorded answers with 5 s and 12 s name 375 tokens: those of 30 s.
 */
const mistralTokensPerSecond = 12.5
const mistralWindowSeconds = 30

/**
 * Reads the `usage` object of chat, completions or embeddings (OpenAI's API). Only whole numbers from 0 count as
 * reported. 0 prompt tokens count as missing, because every prompt has some. A part that exceeds its whole counts as
 * the whole, except these:
 *
 * - Some providers leave hidden reasoning out of `completion_tokens` (Gemini, xAI), and include it in `total_tokens`.
 * - Some gateways leave cached tokens out of `prompt_tokens`. It shows if they exceed it.
 * - Mistral bills audio by its seconds. `total_tokens` includes its tokens, rounded up to windows of 30 s.
 *   `prompt_tokens` does not, but `cached_tokens` may.
 *
 * @returns null if the value has neither prompt nor completion tokens
 */
export function readUsage(value: unknown): ReportedUsage | null {
  const reported = tokensOf(value, 'prompt_tokens') || null
  let completion = tokensOf(value, 'completion_tokens')
  if (reported === null && completion === null) return null
  // Mistral has both spellings.
  const details = memberOf(value, 'prompt_tokens_details') ?? memberOf(value, 'prompt_token_details')
  const seconds = audioSeconds(value)
  const hits =
    tokensOf(details, 'cached_tokens') ??
    tokensOf(value, 'num_cached_tokens') ??
    tokensOf(value, 'prompt_cache_hit_tokens') ??
    0
  const cached = seconds > 0 && hits > (reported ?? 0) ? 0 : hits
  const prompt = reported !== null && cached > reported ? reported + cached : reported
  const total = tokensOf(value, 'total_tokens')
  const inWindows = Math.ceil(seconds / mistralWindowSeconds) * mistralWindowSeconds * mistralTokensPerSecond
  const outputDetails = memberOf(value, 'completion_tokens_details')
  const reasoning = tokensOf(outputDetails, 'reasoning_tokens') ?? 0
  const known = (prompt ?? 0) + inWindows
  if (total !== null && prompt !== null && total > known) completion = Math.max(completion ?? 0, total - known)
  // The other tokens may be prompt or output.
  if (total !== null && prompt === null && total > completion!) return null
  // If reasoning exceeds the completion, the completion does not include it (xAI).
  if (completion !== null && completion > 0 && reasoning > completion) completion += reasoning
  const parts = readParts(details, outputDetails, prompt ?? 0, completion ?? 0)
  const audio = Math.ceil(seconds * mistralTokensPerSecond)
  const isCount = prompt !== null && prompt + audio <= maxReportedTokens
  const audioInputTokens = isCount ? (audio > 0 ? audio : parts.rare?.audioInputTokens) : 0
  return {
    ...noUsage,
    ...parts,
    cachedTokens: Math.min(cached, prompt ?? 0),
    promptTokens: isCount ? prompt + audio : null,
    completionTokens: completion !== null && completion <= maxReportedTokens ? completion : null,
    rare: audio === 0 && isCount ? parts.rare : rareCounts({ ...parts.rare, audioInputTokens }),
    tier: nameOf(value, 'service_tier')
  }
}

/** The seconds of audio that Mistral reports; 0 if there are none. */
function audioSeconds(value: unknown): number {
  const seconds = memberOf(value, 'prompt_audio_seconds')
  return typeof seconds === 'number' && seconds > 0 && seconds <= maxReportedTokens ? seconds : 0
}
