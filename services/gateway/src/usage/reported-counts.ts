import { maxReportedCalls, maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
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

type InputParts = Pick<
  Usage,
  | 'cachedTokens'
  | 'cacheWriteTokens'
  | 'longCacheWriteTokens'
  | 'writesForUnknownTime'
  | 'audioInputTokens'
  | 'imageInputTokens'
>

/**
 * The parts of a prompt, as OpenAI names them for chats and responses. Each is at most the whole.
 *
 * @param details `prompt_tokens_details` or `input_tokens_details`
 */
export function inputParts(details: unknown, whole: number): InputParts {
  const lives = memberOf(details, 'cache_write_tokens_details')
  const written = tokensOf(details, 'cache_write_tokens') ?? 0
  const long = tokensOf(lives, 'ttl_12h_tokens') ?? 0
  const short = Math.max(written - long, tokensOf(lives, 'ttl_30m_tokens') ?? 0)
  return {
    cachedTokens: Math.min(tokensOf(details, 'cached_tokens') ?? 0, whole),
    cacheWriteTokens: Math.min(short, whole),
    longCacheWriteTokens: Math.min(long, whole),
    writesForUnknownTime: written > 0 && lives == null,
    audioInputTokens: Math.min(tokensOf(details, 'audio_tokens') ?? 0, whole),
    imageInputTokens: Math.min(tokensOf(details, 'image_tokens') ?? 0, whole)
  }
}

/** The same for output. @param details `completion_tokens_details` or `output_tokens_details` */
export function outputParts(
  details: unknown,
  whole: number
): Pick<Usage, 'reasoningTokens' | 'audioOutputTokens' | 'imageOutputTokens'> {
  return {
    reasoningTokens: Math.min(tokensOf(details, 'reasoning_tokens') ?? 0, whole),
    audioOutputTokens: Math.min(tokensOf(details, 'audio_tokens') ?? 0, whole),
    imageOutputTokens: Math.min(tokensOf(details, 'image_tokens') ?? 0, whole)
  }
}

/**
 * Adds counted calls of the provider's tools to a usage, by the type of tool. Of a counted and a reported number, the
 * larger one counts.
 */
export function addCalls(usage: ReportedUsage, counted: ReadonlyMap<string, number>): void {
  const calls = new Map(counted)
  for (const [type, count] of Object.entries(usage.calls ?? {})) calls.set(type, Math.max(count, calls.get(type) ?? 0))
  Object.assign(usage, callCounts(calls))
}

/** Calls by type, and their number. Beyond what a request can have, calls are left out. */
export function callCounts(counts: ReadonlyMap<string, number>): Pick<Usage, 'calls' | 'toolCalls'> {
  const calls: Record<string, number> = Object.create(null)
  let toolCalls = 0
  for (const [type, count] of counts) {
    const counted = Math.min(count, maxReportedCalls - toolCalls)
    if (counted <= 0) continue
    calls[type] = counted
    toolCalls += counted
  }
  return { calls: toolCalls === 0 ? null : calls, toolCalls }
}
