import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { memberOf } from '../body/member-of.ts'
import { nothingUsed, type ReportedUsage, tokensOf } from './usage.ts'

/**
 * Reads the `usage` of a message (Anthropic's Messages API). Its three numbers of input tokens are disjoint, so the prompt is their
 * sum. Thinking is a part of the output.
 *
 * `iterations` are further calls of models within the request. Some are not in the outer numbers, so the larger number of both counts.
 *
 * @returns null if it has neither input nor output tokens
 */
export function readMessagesUsage(usage: unknown): ReportedUsage | null {
  const outer = readCounts(usage)
  const list = memberOf(usage, 'iterations')
  const inner = Array.isArray(list) ? list.map(readCounts) : []
  const largest = (counter: keyof Counts) =>
    Math.max(
      outer[counter] ?? 0,
      inner.reduce((sum, counts) => sum + (counts[counter] ?? 0), 0)
    )
  const [input, read, written, completion] = [largest('input'), largest('read'), largest('written'), largest('output')]
  const prompt = input + read + written
  const isKnown = [outer, ...inner].some((counts) => counts.output !== null)
  if (!isKnown && prompt === 0) return null
  return {
    ...nothingUsed,
    promptTokens: prompt > 0 && prompt <= maxReportedTokens ? prompt : null,
    cachedTokens: Math.min(read, maxReportedTokens),
    completionTokens: isKnown && completion <= maxReportedTokens ? completion : null,
    reasoningTokens: Math.min(tokensOf(memberOf(usage, 'output_tokens_details'), 'thinking_tokens') ?? 0, completion)
  }
}

/**
 * Adds a later report of the same message to an earlier one: `message_delta` to `message_start`. All numbers are cumulative, so the
 * latest one that is not null counts. Some parts come only in the first report.
 */
export function mergeMessagesUsage(earlier: unknown, later: unknown): unknown {
  if (!isObject(later)) return later ?? earlier
  if (!isObject(earlier)) return later
  const merged: Record<string, unknown> = Object.assign(Object.create(null), earlier)
  for (const [name, value] of Object.entries(later)) {
    if (value !== null) merged[name] = mergeMessagesUsage(merged[name], value)
  }
  return merged
}

interface Counts {
  input: number | null
  /** Read from the cache, and written into it. */
  read: number | null
  written: number | null
  output: number | null
}

const readCounts = (usage: unknown): Counts => ({
  input: tokensOf(usage, 'input_tokens'),
  read: tokensOf(usage, 'cache_read_input_tokens'),
  written: tokensOf(usage, 'cache_creation_input_tokens'),
  output: tokensOf(usage, 'output_tokens')
})

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
