import { createHash } from 'node:crypto'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { invalidRequest } from '../api-error.ts'
import { readDimensions } from '../media-tokens.ts'
import type { Seal } from '../produce.ts'
import type { ChatRequest, Message } from '../requests.ts'
import { type Block, blockImages, blockText, checkMessages, type ReadMessage, readBlocks } from './blocks.ts'
import { chatTools, type MessageTool, maxSearches, type PromptRequest, readTools } from './request.ts'

const maxBreakpoints = 4
const tokensPerMessage = 4

/** The start of the answer. */
const answerTokens = 3

const pixelsPerToken = 750
const maxImageTokens = 1600

const lifetimesMs: Record<Lifetime, number> = { '5m': 300_000, '1h': 3_600_000 }
const maxEntries = 10_000

/** What the server keeps between requests. */
export interface MessageState {
  readonly cache: PromptCache
  readonly seal: Seal
}

export interface MessagePrompt {
  readonly segments: readonly Segment[]
  readonly tokens: number
  /** The same prompt as a chat. */
  readonly chat: ChatRequest
  /** How often the provider's web search may run; null without that tool. */
  readonly maxSearches: number | null
}

/** Reads the prompt of a request. @throws ApiError (400) */
export function readPrompt(request: PromptRequest, seal: Seal): MessagePrompt {
  const { model, output_config: output } = request
  const tools = readTools(request)
  const system = readBlocks(request.system ?? [], ['system'])
  const messages = request.messages.map(({ role, content }, at) => ({
    role,
    blocks: readBlocks(content ?? [], ['messages', String(at), 'content'])
  }))
  checkMessages(messages, seal)
  const segments = splitPrompt(tools, system, messages, request.cache_control)
  const format = output?.format
  return {
    segments,
    tokens: segments.reduce((sum, { tokens }) => sum + tokens, answerTokens),
    maxSearches: request.tool_choice?.type === 'none' ? null : maxSearches(tools),
    chat: {
      model,
      messages: [...(system.length > 0 ? [messageOf('system', system)] : []), ...messages.flatMap(messagesOf)],
      ...chatTools(tools, request),
      ...(format && { response_format: { type: 'json_schema' as const, json_schema: { schema: format.schema } } })
    }
  }
}

/** Answers a request to `/v1/messages/count_tokens`. @throws ApiError (400) */
export function countMessageInput(request: PromptRequest, { seal }: MessageState): object {
  return { input_tokens: readPrompt(request, seal).tokens }
}

/** A message as messages of a chat: first its tool results, then its text. */
function messagesOf({ role, blocks }: ReadMessage): Message[] {
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const texts = blocks.filter(({ type }) => type !== 'tool_result')
  const isOnlyResults = results.length > 0 && texts.length === 0
  return [
    ...results.map((block): Message => ({ role: 'tool', content: blockText(block) })),
    ...(isOnlyResults ? [] : [messageOf(role, texts)])
  ]
}

function messageOf(role: ReadMessage['role'], blocks: readonly Block[]): Message {
  return { role, content: blocks.map((block) => ({ type: 'text', text: blockText(block) })) }
}

/** How the cache serves a prompt. */
export interface CacheUse {
  readonly read: number
  /** Tokens written for 5 minutes. */
  readonly short: number
  /** Tokens written for an hour. */
  readonly long: number
  /** Writes the prompt, and extends what was read. */
  remember(): void
}

/** Cached starts of prompts. Unlike the provider's, it caches prompts of any length, and finds every earlier start. */
export class PromptCache {
  readonly #expiryMs = new Map<string, number>()

  /** Looks a prompt up. A model has its own cache. */
  look(model: string, segments: readonly Segment[], nowMs: number): CacheUse {
    const ends = endsOf(model, segments)
    const marks = ends.filter(({ lifetime }) => lifetime !== null)
    const reach = marks.at(-1)?.tokens ?? 0
    const hit = ends.findLast(({ key, tokens }) => tokens <= reach && (this.#expiryMs.get(key) ?? 0) > nowMs)
    const written = { '5m': 0, '1h': 0 }
    let before = hit?.tokens ?? 0
    for (const { tokens, lifetime } of marks) {
      if (tokens <= before || lifetime === null) continue
      written[lifetime] += tokens - before
      before = tokens
    }
    return {
      read: hit?.tokens ?? 0,
      short: written['5m'],
      long: written['1h'],
      remember: () => {
        for (const { key, lifetime } of marks) this.#write(key, nowMs + lifetimesMs[lifetime ?? '5m'])
      }
    }
  }

  #write(key: string, expiryMs: number): void {
    const current = this.#expiryMs.get(key) ?? 0
    this.#expiryMs.delete(key)
    this.#expiryMs.set(key, Math.max(current, expiryMs))
    const [oldest = ''] = this.#expiryMs.keys()
    if (this.#expiryMs.size > maxEntries) this.#expiryMs.delete(oldest)
  }
}

interface End {
  /** Identifies the prompt from its start to this segment. */
  readonly key: string
  /** Tokens from the start. */
  readonly tokens: number
  readonly lifetime: Lifetime | null
}

function endsOf(model: string, segments: readonly Segment[]): End[] {
  let key = model
  let tokens = 0
  return segments.map((segment) => {
    key = createHash('sha256').update(`${key}\n${segment.content}`).digest('base64')
    tokens += segment.tokens
    return { key, tokens, lifetime: segment.lifetime }
  })
}

export type Lifetime = '5m' | '1h'

/** A block of the prompt. Prompts that start with equal segments share their cache. */
interface Segment {
  readonly content: string
  readonly tokens: number
  /** Set if the prompt is cached up to here. */
  readonly lifetime: Lifetime | null
}

/**
 * Splits a prompt into segments, in the order of its cache: tools, system, messages. The prompt's tokens are their sum
 * and `answerTokens`.
 *
 * @throws ApiError (400) for invalid breakpoints
 */
function splitPrompt(
  tools: readonly MessageTool[],
  system: readonly Block[],
  messages: readonly ReadMessage[],
  automatic: PromptRequest['cache_control']
): Segment[] {
  const segments = [
    ...tools.map(({ cache_control, ...tool }) => segmentOf(tool, countTokens(JSON.stringify(tool)), cache_control)),
    ...system.map((block) => segmentOfBlock(block, 0)),
    ...messages.flatMap(({ role, blocks }) =>
      blocks.map((block, index) => segmentOfBlock({ role, ...block }, index === 0 ? tokensPerMessage : 0))
    )
  ]
  const last = segments.pop()
  if (last !== undefined) segments.push({ ...last, lifetime: last.lifetime ?? lifetimeOf(automatic) })
  checkBreakpoints(segments)
  return segments
}

function checkBreakpoints(segments: readonly Segment[]): void {
  const lifetimes = segments.flatMap(({ lifetime }) => lifetime ?? [])
  if (lifetimes.length > maxBreakpoints) {
    const message = `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${lifetimes.length}.`
    throw invalidRequest(message, 'cache_control')
  }
  if (lifetimes.lastIndexOf('1h') > lifetimes.indexOf('5m') && lifetimes.includes('5m')) {
    const message = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
    throw invalidRequest(message, 'cache_control')
  }
}

function segmentOfBlock(block: Block & { role?: string }, overhead: number): Segment {
  const images = blockImages(block).reduce((sum, url) => sum + imageTokens(url), 0)
  const { cache_control, ...content } = { cache_control: undefined, ...block }
  return segmentOf(content, overhead + countTokens(blockText(block)) + images, cache_control)
}

function segmentOf(content: object, tokens: number, control: PromptRequest['cache_control']): Segment {
  return { content: JSON.stringify(content), tokens, lifetime: lifetimeOf(control) }
}

function lifetimeOf(control: PromptRequest['cache_control']): Lifetime | null {
  return control === undefined || control === null ? null : (control.ttl ?? '5m')
}

/** Counts an image as in Anthropic's guide "Vision" (2026). An image of unknown size counts as the largest. */
function imageTokens(url: string): number {
  const size = readDimensions(url)
  if (size === null) return maxImageTokens
  return Math.min(Math.ceil((size[0] * size[1]) / pixelsPerToken), maxImageTokens)
}
