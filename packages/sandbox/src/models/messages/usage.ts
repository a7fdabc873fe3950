import type { Behaviour } from '../model-name.ts'
import { type Counted, oddTokens, type ReportedUsage } from '../usage.ts'
import type { MessageRequest } from './request.ts'

export interface MessageUsage {
  /** At the start of a stream: with the first token of the answer. */
  readonly start: ReportedUsage
  /** At the end of a stream. Its counts replace those of the start. */
  readonly delta: ReportedUsage
  /** Of an answer that is not streamed. */
  readonly whole: ReportedUsage
}

/**
 * Builds the usage of a message. Its input tokens do not include cached or written ones.
 *
 * @param counted of the whole answer, with `foundTokens`
 * @param foundTokens input tokens of search results, which the start of a stream does not know
 * @param searches null if the request has no web search
 * @returns null if the model name asks to omit it
 */
export function reportMessageUsage(
  counted: Counted,
  foundTokens: number,
  searches: number | null,
  request: MessageRequest,
  behaviour: Behaviour
): MessageUsage | null {
  const odd = behaviour['odd-usage']
  if (behaviour['no-usage'] === true) return null
  if (odd === 'none') return { start: {}, delta: {}, whole: {} }
  const { promptTokens, cachedTokens, kinds, reasoningTokens, completionTokens } = counted
  const { cacheWriteTokens: short, cacheWriteLongTokens: long } = kinds
  const output = behaviour['report-tokens'] ?? completionTokens
  const input = promptTokens - cachedTokens - short - long
  const cache = { cache_creation_input_tokens: short + long, cache_read_input_tokens: cachedTokens }
  const fixed = {
    cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    service_tier: kinds.serviceTier,
    speed: request.speed ?? null,
    inference_geo: request.inference_geo ?? 'not_available'
  }
  const ended = {
    input_tokens: input,
    ...cache,
    ...(odd !== 'missing' && { output_tokens: odd === undefined ? output : oddTokens(odd, counted) }),
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: searches === null ? null : { web_search_requests: searches, web_fetch_requests: 0 }
  }
  const none = { output_tokens_details: null, server_tool_use: null }
  const start = { input_tokens: input - foundTokens, ...cache, output_tokens: Math.min(1, completionTokens), ...none }
  return { start: { ...start, ...fixed }, delta: ended, whole: { ...ended, ...fixed } }
}
