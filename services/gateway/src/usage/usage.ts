import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'

/** The tokens that one request used. */
export type Usage = {
  promptTokens: number
  /** Part of `promptTokens`. */
  cachedTokens: number
  completionTokens: number
  /** Hidden reasoning; part of `completionTokens`. */
  reasoningTokens: number
  /** Counted by the gateway, because the upstream did not say. */
  estimated: boolean
}

/** Of a request that was not served. */
export const nothingUsed: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  estimated: false
}

/**
 * Reads a `usage` object as OpenAI's API has it, of chat, completions or embeddings. A part that is larger than its whole
 * counts as the whole.
 *
 * @returns null if it is none
 */
export function readUsage(value: unknown): Usage | null {
  const prompt = tokensOf(value, 'prompt_tokens')
  if (prompt === null) return null
  const completion = tokensOf(value, 'completion_tokens') ?? 0
  const cached = tokensOf(memberOf(value, 'prompt_tokens_details'), 'cached_tokens') ?? 0
  const reasoning = tokensOf(memberOf(value, 'completion_tokens_details'), 'reasoning_tokens') ?? 0
  return {
    promptTokens: prompt,
    cachedTokens: Math.min(cached, prompt),
    completionTokens: completion,
    reasoningTokens: Math.min(reasoning, completion),
    estimated: false
  }
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function tokensOf(value: unknown, name: string): number | null {
  const tokens = memberOf(value, name)
  const isCount = Number.isInteger(tokens) && (tokens as number) >= 0 && (tokens as number) <= maxReportedTokens
  return isCount ? (tokens as number) : null
}
