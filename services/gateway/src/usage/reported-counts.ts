import { maxReportedCalls, maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { memberOf } from '../body/json-text.ts'
import type { ReportedUsage, Usage } from './usage.ts'

type Read<Value> = (value: Value) => ReportedUsage | null

/** Makes a reader of the text of a usage object from one of its value. It returns null if the text is not JSON. */
export const ofText =
  (read: Read<unknown>): Read<string> =>
  (text) => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return null
    }
    return read(value)
  }

/** A reported number of tokens; null unless it is a whole number from 0 that a request can have. */
export function tokensOf(value: unknown, name: string): number | null {
  const tokens = memberOf(value, name)
  const isCount = Number.isInteger(tokens) && (tokens as number) >= 0 && (tokens as number) <= maxReportedTokens
  return isCount ? (tokens as number) : null
}

/** Reads a member that is a name. @returns null if it is missing, empty or no text */
export function nameOf(value: unknown, member: string): string | null {
  const name = memberOf(value, member)
  return typeof name === 'string' && name !== '' ? name : null
}

/**
 * The parts of a prompt and an output, as OpenAI names them for chats and responses. Each is at most its whole.
 *
 * @param input `prompt_tokens_details` or `input_tokens_details`
 * @param output `completion_tokens_details` or `output_tokens_details`
 */
export function readParts(
  input: unknown,
  output: unknown,
  promptTokens: number,
  completionTokens: number
): Pick<Usage, 'cachedTokens' | 'reasoningTokens' | 'rare' | 'writesForUnknownTime'> {
  const lives = memberOf(input, 'cache_write_tokens_details')
  const written = tokensOf(input, 'cache_write_tokens') ?? 0
  const long = tokensOf(lives, 'ttl_12h_tokens') ?? 0
  const short = Math.max(written - long, tokensOf(lives, 'ttl_30m_tokens') ?? 0)
  return {
    cachedTokens: Math.min(tokensOf(input, 'cached_tokens') ?? 0, promptTokens),
    reasoningTokens: Math.min(tokensOf(output, 'reasoning_tokens') ?? 0, completionTokens),
    rare: rareCounts({
      cacheWriteTokens: Math.min(short, promptTokens),
      longCacheWriteTokens: Math.min(long, promptTokens),
      audioInputTokens: Math.min(tokensOf(input, 'audio_tokens') ?? 0, promptTokens),
      imageInputTokens: Math.min(tokensOf(input, 'image_tokens') ?? 0, promptTokens),
      audioOutputTokens: Math.min(tokensOf(output, 'audio_tokens') ?? 0, completionTokens),
      imageOutputTokens: Math.min(tokensOf(output, 'image_tokens') ?? 0, completionTokens)
    }),
    writesForUnknownTime: written > 0 && lives == null
  }
}

/**
 * Adds counted calls of the provider's tools to a usage, by the type of tool. Of a counted and a reported number, the
 * larger one counts.
 */
export function addCalls(usage: ReportedUsage, counts: ReadonlyMap<string, number>): void {
  const calls = new Map(counts)
  for (const [type, count] of Object.entries(usage.calls ?? {})) calls.set(type, Math.max(count, calls.get(type) ?? 0))
  const { calls: byType, toolCalls } = callCounts(calls)
  usage.calls = byType
  usage.rare = rareCounts({ ...usage.rare, toolCalls })
}

/** Calls by type, and their number. Beyond what a request can have, calls are left out. */
export function callCounts(counts: ReadonlyMap<string, number>): Pick<Usage, 'calls'> & { toolCalls: number } {
  const calls: Record<string, number> = Object.create(null)
  let toolCalls = 0
  for (const [type, count] of counts) {
    const number = Math.min(count, maxReportedCalls - toolCalls)
    if (number <= 0) continue
    calls[type] = number
    toolCalls += number
  }
  return { calls: toolCalls === 0 ? null : calls, toolCalls }
}
