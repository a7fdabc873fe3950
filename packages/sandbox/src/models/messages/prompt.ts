import type { ChatRequest, Message } from '../requests.ts'
import type { Seal } from '../seal.ts'
import { type Block, blockText, readBlocks } from './blocks.ts'
import type { PromptCache } from './cache.ts'
import { checkMessages, type ReadMessage } from './check-messages.ts'
import type { PromptRequest } from './request.ts'
import { answerTokens, type Segment, splitPrompt } from './segments.ts'
import { chatTools, maxSearches, readTools } from './tools.ts'

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
