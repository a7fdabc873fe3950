import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { type MeasuredCounter, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'

/** What one request used, besides its cost. */
export interface Usage extends Record<Exclude<MeasuredCounter, 'costNanos'>, number> {
  /** Whether the gateway counted any of it, because the upstream did not report it. */
  estimated: boolean
}

/** What an upstream reported. null where it reported nothing that can be a number of tokens. */
export type ReportedUsage = Omit<Usage, 'promptTokens' | 'completionTokens'> & {
  promptTokens: number | null
  completionTokens: number | null
}

/**
 * What a model may have produced, for each answer that was cut off, that had not left the provider. A tenth of a second of
 * a model that produces 320 tokens a second.
 */
export const tokensUnderWay = 32

const { requests, errors, estimatedRequests, estimatedNanos, costNanos, ...noTokens } = zeroCounts

/** Of a request that was not served. */
export const nothingUsed: Usage = { ...noTokens, estimated: false }

/**
 * Reads a `usage` object as OpenAI's API has it, of chat, completions or embeddings. What is not a whole number of at least
 * 0 counts as not reported, and so do 0 prompt tokens: every prompt has some. A part that is larger than its whole counts
 * as the whole.
 *
 * Some providers leave hidden reasoning out of `completion_tokens` (Gemini, xAI); `total_tokens` has it.
 *
 * @returns null if the value reports neither side
 */
export function readUsage(value: unknown): ReportedUsage | null {
  const prompt = tokensOf(value, 'prompt_tokens') || null
  let completion = tokensOf(value, 'completion_tokens')
  if (prompt === null && completion === null) return null
  const total = tokensOf(value, 'total_tokens')
  const reasoning = tokensOf(memberOf(value, 'completion_tokens_details'), 'reasoning_tokens') ?? 0
  if (total !== null && prompt !== null && total > prompt) completion = Math.max(completion ?? 0, total - prompt)
  // Nobody knows how much of the rest was the prompt.
  if (total !== null && prompt === null && total > completion!) return null
  // Reasoning that is more than the whole was left out of it (xAI).
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
 * @returns null if it reports neither side, or is not JSON
 */
export function readUsageText(text: string): ReportedUsage | null {
  try {
    return readUsage(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Whether nothing of a usage has to be estimated. 0 tokens of output are believed only of an answer without words, so that
 * one is looked into.
 */
export function isComplete(usage: ReportedUsage | null): usage is Usage {
  return usage !== null && usage.promptTokens !== null && usage.completionTokens !== null && usage.completionTokens > 0
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function tokensOf(value: unknown, name: string): number | null {
  const tokens = memberOf(value, name)
  const isCount = Number.isInteger(tokens) && (tokens as number) >= 0 && (tokens as number) <= maxReportedTokens
  return isCount ? (tokens as number) : null
}
