import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import { rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { memberOf } from '../../body/json-text.ts'
import { callCounts, nameOf, tokensOf } from '../../usage/reported-counts.ts'
import { noUsage, type ReportedUsage } from '../../usage/usage.ts'

/**
 * Reads the `usage` of a message (Anthropic's Messages API). Its three numbers of input tokens are disjoint, so the
 * prompt is their sum. Thinking is a part of the output.
 *
 * `iterations` are further calls of models within the request. Some are not in the outer numbers, so the larger number
 * of both counts.
 *
 * @returns null if it has neither input nor output tokens
 */
export function readMessagesUsage(usage: unknown): ReportedUsage | null {
  const outer = readCounts(usage)
  const list = memberOf(usage, 'iterations')
  const iterations = Array.isArray(list) ? list : []
  const inner = iterations.map(readCounts)
  const largest = (counter: keyof Counts) =>
    Math.max(
      outer[counter] ?? 0,
      inner.reduce((sum, counts) => sum + (counts[counter] ?? 0), 0)
    )
  const [input, read, short, long] = [largest('input'), largest('read'), largest('short'), largest('long')]
  const prompt = input + read + short + long
  const completion = largest('output')
  if ([outer, ...inner].every((counts) => counts.output === null) && prompt === 0) return null
  const { calls, toolCalls } = callCounts(countCalls(memberOf(usage, 'server_tool_use')))
  const isKnown = [outer, ...inner].some((counts) => counts.output !== null)
  return {
    ...noUsage,
    promptTokens: prompt > 0 && prompt <= maxReportedTokens ? prompt : null,
    cachedTokens: Math.min(read, maxReportedTokens),
    calls,
    rare: rareCounts({
      cacheWriteTokens: Math.min(short, maxReportedTokens),
      longCacheWriteTokens: Math.min(long, maxReportedTokens),
      toolCalls
    }),
    writesForUnknownTime: short > 0 && [usage, ...iterations].some((one) => memberOf(one, 'cache_creation') == null),
    completionTokens: isKnown && completion <= maxReportedTokens ? completion : null,
    reasoningTokens: Math.min(tokensOf(memberOf(usage, 'output_tokens_details'), 'thinking_tokens') ?? 0, completion),
    tier: memberOf(usage, 'speed') === 'fast' ? 'fast' : nameOf(usage, 'service_tier'),
    hasOtherModels: iterations.some((iteration) => nameOf(iteration, 'model') !== null)
  }
}

/**
 * Adds a later report of the same message to an earlier one: `message_delta` to `message_start`. All numbers are
 * cumulative, so the largest one counts: a later report with less takes back nothing that was used. Some parts come
 * only in the first report.
 *
 * No output, or less than none, is a missing report, and the output is estimated: an earlier number may be of the
 * beginning.
 */
export function mergeMessagesUsage(earlier: unknown, later: unknown): unknown {
  if (typeof earlier === 'number' && typeof later === 'number') return Math.max(earlier, later)
  if (!isObject(later)) return later ?? earlier
  if (!isObject(earlier)) return later
  const merged: Record<string, unknown> = Object.assign(Object.create(null), earlier)
  for (const [name, value] of Object.entries(later)) {
    if (value === null) continue
    const isMissing = name === 'output_tokens' && typeof value === 'number' && value <= 0
    merged[name] = isMissing ? value : mergeMessagesUsage(merged[name], value)
  }
  return merged
}

interface Counts {
  input: number | null
  /** Read from the cache. */
  read: number | null
  /** Written into the cache for five minutes, and for an hour. */
  short: number | null
  long: number | null
  output: number | null
}

function readCounts(usage: unknown): Counts {
  const lives = memberOf(usage, 'cache_creation')
  const written = tokensOf(usage, 'cache_creation_input_tokens') ?? 0
  const long = tokensOf(lives, 'ephemeral_1h_input_tokens') ?? 0
  return {
    input: tokensOf(usage, 'input_tokens'),
    read: tokensOf(usage, 'cache_read_input_tokens'),
    short: Math.max(written - long, tokensOf(lives, 'ephemeral_5m_input_tokens') ?? 0),
    long,
    output: tokensOf(usage, 'output_tokens')
  }
}

/** Calls by the type of tool: `web_search_requests` counts calls of `web_search`. */
function countCalls(use: unknown): Map<string, number> {
  const counts = new Map<string, number>()
  if (!isObject(use)) return counts
  for (const name of Object.keys(use)) {
    const count = tokensOf(use, name) ?? 0
    if (count > 0 && name.endsWith('_requests')) counts.set(name.slice(0, -'_requests'.length), count)
  }
  return counts
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Blocks of a message with the result of a tool that costs a fee for each call, with the type of tool. */
const toolOfResult: ReadonlyMap<unknown, string> = new Map([['web_search_tool_result', 'web_search']])

/** What is read of a block of a message's content. */
export interface MessageBlock {
  type?: unknown
  /** The type of its content. Results are a list, which has none. */
  content?: unknown
}

/** The type of tool whose fee the result in a block costs; null if it costs none. A search that failed is free. */
export function billedResult({ type, content }: MessageBlock): string | null {
  const isError = typeof content === 'string' && content.endsWith('_error')
  return isError ? null : (toolOfResult.get(type) ?? null)
}

/** Counts the calls of the provider's tools in a message, by the type of tool. */
export function resultCalls(blocks: Iterable<MessageBlock>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const block of blocks) {
    const tool = billedResult(block)
    if (tool !== null) counts.set(tool, (counts.get(tool) ?? 0) + 1)
  }
  return counts
}
