import type { Message, StopReason } from '@anthropic-ai/sdk/resources/messages'
import type { Answer, AnswerEvent } from '../answer.ts'
import type { Behaviour } from '../model-name.ts'
import { countProduced, type Produced } from '../produce.ts'
import { produceChat } from '../produce-chat.ts'
import { type BilledKinds, noKinds } from '../request-recorder.ts'
import { searchQuery } from '../requests.ts'
import { type Counted, foundTokens, oddTokens, promptKinds, type ReportedUsage } from '../token-usage.ts'
import { randomId } from '../write-text.ts'
import { type AnswerBlock, buildBlocks } from './output.ts'
import { type CacheUse, type MessageState, readPrompt } from './prompt.ts'
import type { MessageRequest } from './request.ts'

type SentMessage = Omit<Message, 'usage' | 'stop_reason'> & { usage?: object; stop_reason: StopReason | null }

/** Answers a request to `/v1/messages`. @throws ApiError (400) */
export function answerMessage(
  request: MessageRequest,
  { cache, seal }: MessageState,
  behaviour: Behaviour,
  createdS: number
): Answer {
  const prompt = readPrompt(request, seal)
  const limited = { ...prompt.chat, max_completion_tokens: request.max_tokens, stop: request.stop_sequences }
  const { choices, hidden } = produceChat(limited, withThinking(behaviour, request))
  const produced = choices[0]!
  const isSearching = prompt.maxSearches !== null && request.max_tokens > 0
  const searches = isSearching ? Math.min(behaviour.searches ?? 1, prompt.maxSearches) : 0
  const query = searchQuery(prompt.chat)
  const blocks = buildBlocks({ ...produced, thinks: hidden.reasoning > 0, searches, query }, request, seal)
  const searchTokens = foundTokens(prompt.tokens, searches)
  const promptTokens = prompt.tokens + searchTokens
  const use = cache.look(request.model, prompt.segments, createdS * 1000)
  const { cachedTokens, ...written } = cacheKinds(promptTokens, use, behaviour)
  const toolCalls: Record<string, number> = prompt.maxSearches === null ? {} : { web_search: searches }
  const counts = {
    promptTokens,
    cachedTokens,
    reasoningTokens: hidden.reasoning,
    hiddenTokens: hidden.total,
    completionTokens: hidden.total + countProduced(produced),
    kinds: { ...noKinds, ...written, toolCalls, serviceTier: tierOf(request, behaviour) }
  }
  const usage = reportMessageUsage(
    counts,
    searchTokens,
    prompt.maxSearches === null ? null : searches,
    request,
    behaviour
  )
  const started: SentMessage = {
    id: randomId('msg_'),
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_details: null,
    stop_reason: null,
    stop_sequence: null,
    ...(usage && { usage: usage.start })
  }
  const stop = { stop_reason: stopReason(produced), stop_sequence: produced.stoppedBy ?? null }

  return {
    ...counts,
    whole() {
      use.remember()
      return { ...started, ...stop, content: blocks.map(({ whole }) => whole), ...(usage && { usage: usage.whole }) }
    },
    *events() {
      use.remember()
      yield { data: { type: 'message_start', message: started }, tokens: 0 }
      for (const [index, block] of blocks.entries()) yield* streamBlock(block, index)
      const delta = { ...stop, container: null, stop_details: null }
      yield { data: { type: 'message_delta', delta, ...(usage && { usage: usage.delta }) }, tokens: 0 }
      yield { data: { type: 'message_stop' }, tokens: 0 }
    }
  }
}

function* streamBlock({ start, startTokens, deltas }: AnswerBlock, index: number): Generator<AnswerEvent> {
  yield { data: { type: 'content_block_start', index, content_block: start }, tokens: startTokens }
  if (index === 0) yield { data: { type: 'ping' }, tokens: 0 }
  for (const { delta, tokens } of deltas) yield { data: { type: 'content_block_delta', index, delta }, tokens }
  yield { data: { type: 'content_block_stop', index }, tokens: 0 }
}

/** The cached and written tokens of the cache, unless directives set others. */
function cacheKinds(promptTokens: number, { read, short, long }: CacheUse, behaviour: Behaviour) {
  const directives = ['cached-tokens', 'cache-write-tokens', 'cache-write-long-tokens'] as const
  if (directives.every((directive) => behaviour[directive] === undefined)) {
    return { cachedTokens: read, cacheWriteTokens: short, cacheWriteLongTokens: long }
  }
  const { cachedTokens, cacheWriteTokens, cacheWriteLongTokens } = promptKinds(promptTokens, behaviour)
  return { cachedTokens, cacheWriteTokens, cacheWriteLongTokens }
}

/** This API has no other tiers than these two. Its `auto` is the standard tier, as without a commitment. */
function tierOf({ service_tier: requestTier }: MessageRequest, { tier }: Behaviour): BilledKinds['serviceTier'] {
  return tier === 'priority' && requestTier !== 'standard_only' ? 'priority' : 'standard'
}

const thinkingTokens = { enabled: 32, adaptive: 16, disabled: 0, between_tools: 0 } as const

/** The behaviour with the tokens of the request's thinking, unless a directive sets others. */
function withThinking(behaviour: Behaviour, { thinking }: MessageRequest): Behaviour {
  const tokens = behaviour['reasoning-tokens'] ?? thinkingTokens[thinking?.type ?? 'disabled']
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : tokens
  return { ...behaviour, 'reasoning-tokens': Math.min(tokens, budget) }
}

function stopReason({ finish, stoppedBy }: Produced): StopReason {
  if (finish === 'length') return 'max_tokens'
  if (finish === 'tool_calls') return 'tool_use'
  return stoppedBy === undefined ? 'end_turn' : 'stop_sequence'
}

interface MessageUsage {
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
 * @param counts of the whole answer, with `foundTokens`
 * @param foundTokens input tokens of search results, which the start of a stream does not know
 * @param searches null if the request has no web search
 * @returns null if the model name asks to omit it
 */
function reportMessageUsage(
  counts: Counted,
  foundTokens: number,
  searches: number | null,
  request: MessageRequest,
  behaviour: Behaviour
): MessageUsage | null {
  const odd = behaviour['odd-usage']
  if (behaviour['no-usage'] === true) return null
  if (odd === 'none') return { start: {}, delta: {}, whole: {} }
  const { promptTokens, cachedTokens, kinds, reasoningTokens, completionTokens } = counts
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
    ...(odd !== 'missing' && { output_tokens: odd === undefined ? output : oddTokens(odd, counts) }),
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: searches === null ? null : { web_search_requests: searches, web_fetch_requests: 0 }
  }
  const none = { output_tokens_details: null, server_tool_use: null }
  const start = { input_tokens: input - foundTokens, ...cache, output_tokens: Math.min(1, completionTokens), ...none }
  return { start: { ...start, ...fixed }, delta: ended, whole: { ...ended, ...fixed } }
}
