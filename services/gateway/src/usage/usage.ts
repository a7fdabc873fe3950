import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { type MeasuredCounter, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import { memberOf } from '../body/member-of.ts'

/** The tokens of one request. */
export interface Usage extends Record<Exclude<MeasuredCounter, 'costNanos'>, number> {
  /** Whether the gateway estimated a part that the upstream did not report. */
  estimated: boolean
}

/** The usage that an upstream reported. A number is null if the upstream reported no valid one. */
export interface ReportedUsage extends Omit<Usage, 'promptTokens' | 'completionTokens'> {
  promptTokens: number | null
  completionTokens: number | null
}

const { requests, errors, estimatedRequests, estimatedNanos, costNanos, ...noTokens } = zeroCounts

/** The usage of a request that was not served. */
export const nothingUsed: Usage = { ...noTokens, estimated: false }

/**
 * Reads the `usage` object of chat, completions or embeddings (OpenAI's API). Only whole numbers from 0 count as reported. 0 prompt
 * tokens count as missing, because every prompt has some. A part that exceeds its whole counts as the whole.
 *
 * Some providers leave hidden reasoning out of `completion_tokens` (Gemini, xAI), and include it in `total_tokens`.
 *
 * @returns null if the value has neither prompt nor completion tokens
 */
export function readUsage(value: unknown): ReportedUsage | null {
  const prompt = tokensOf(value, 'prompt_tokens') || null
  let completion = tokensOf(value, 'completion_tokens')
  if (prompt === null && completion === null) return null
  const total = tokensOf(value, 'total_tokens')
  const reasoning = tokensOf(memberOf(value, 'completion_tokens_details'), 'reasoning_tokens') ?? 0
  if (total !== null && prompt !== null && total > prompt) completion = Math.max(completion ?? 0, total - prompt)
  // The other tokens may be prompt or output.
  if (total !== null && prompt === null && total > completion!) return null
  // If reasoning exceeds the completion, the completion does not include it (xAI).
  if (completion !== null && completion > 0 && reasoning > completion) completion += reasoning
  const cached = tokensOf(memberOf(value, 'prompt_tokens_details'), 'cached_tokens') ?? 0
  return {
    ...nothingUsed,
    promptTokens: prompt,
    cachedTokens: Math.min(cached, prompt ?? 0),
    completionTokens: completion,
    reasoningTokens: Math.min(reasoning, completion ?? 0)
  }
}

/**
 * Reads the text of a `usage` object.
 *
 * @returns null if it has neither prompt nor completion tokens, or is not JSON
 */
export function readUsageText(text: string): ReportedUsage | null {
  try {
    return readUsage(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Whether a usage needs no estimate. 0 output tokens count as missing here, because only an answer without words has none.
 */
export function isComplete(usage: ReportedUsage | null): usage is Usage {
  return usage !== null && usage.promptTokens !== null && usage.completionTokens !== null && usage.completionTokens > 0
}

/** A reported number of tokens; null unless it is a whole number from 0 that a request can have. */
export function tokensOf(value: unknown, name: string): number | null {
  const tokens = memberOf(value, name)
  const isCount = Number.isInteger(tokens) && (tokens as number) >= 0 && (tokens as number) <= maxReportedTokens
  return isCount ? (tokens as number) : null
}
