import { countPrompt } from '../count-prompt.ts'
import type { ChatRequest, Message, Part } from '../requests.ts'
import type { Seal } from '../seal.ts'
import { type ItemPart, readParts, type WholeItem } from './items.ts'
import { type ReadItems, readItems } from './read-items.ts'
import type { PromptRequest } from './request.ts'
import type { ResponseStore } from './store.ts'
import { readTools } from './tools.ts'

/** What the server keeps between requests. */
export interface ResponseState {
  readonly store: ResponseStore
  readonly seal: Seal
}

export interface ResponsePrompt {
  readonly items: ReadItems
  /** The same prompt as a chat. */
  readonly chat: ChatRequest
  /** Whether the request has the provider's web search. */
  readonly searches: boolean
}

/** Reads the prompt of a request, with that of earlier responses. @throws ApiError (400 or 404) */
export function readPrompt(request: PromptRequest, { store, seal }: ResponseState): ResponsePrompt {
  const items = readItems(request, store, seal)
  const { chat: tools, searches } = readTools(request)
  const messages = messagesOf(items.all, request.instructions)
  const { model, parallel_tool_calls, text } = request
  return {
    items,
    searches,
    chat: { model, messages, ...tools, parallel_tool_calls, response_format: formatOf(text?.format) }
  }
}

/** Answers a request to `/v1/responses/input_tokens`. @throws ApiError (400 or 404) */
export function countResponseInput(request: PromptRequest, state: ResponseState): object {
  return { object: 'response.input_tokens', input_tokens: countPrompt(readPrompt(request, state).chat).total }
}

function formatOf(format: NonNullable<PromptRequest['text']>['format']): ChatRequest['response_format'] {
  if (format === undefined || format === null) return undefined
  return format.type === 'json_schema' ? { type: 'json_schema', json_schema: { schema: format.schema } } : format
}

/** Translates items to the messages of a chat. Reasoning and searches of earlier responses are not part of the prompt. */
function messagesOf(items: readonly WholeItem[], instructions: string | null | undefined): Message[] {
  const first: Message[] = typeof instructions === 'string' ? [{ role: 'developer', content: instructions }] : []
  return [...first, ...items.flatMap(messageOf)]
}

function messageOf(item: WholeItem): Message | [] {
  switch (item.type) {
    case 'message':
      return { role: item.role, content: partsOf(item.content) }
    case 'function_call':
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ function: { name: item.name, arguments: item.arguments } }]
      }
    case 'custom_tool_call':
      return { role: 'assistant', content: null, tool_calls: [{ custom: { name: item.name, input: item.input } }] }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', content: partsOf(item.output) }
    case 'additional_tools':
      return { role: 'developer', content: JSON.stringify(item.tools) }
    case 'compaction':
      return { role: 'assistant', content: item.encrypted_content }
    default:
      return []
  }
}

function partsOf(content: string | readonly unknown[]): string | Part[] {
  return typeof content === 'string' ? content : readParts(content).map(partOf)
}

function partOf(part: ItemPart): Part {
  switch (part.type) {
    case 'refusal':
      return { type: 'refusal', refusal: part.refusal }
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url ?? '', detail: part.detail ?? 'auto' } }
    case 'input_file':
      return { type: 'text', text: `${part.filename ?? ''}\n${readFile(part.file_data ?? '')}` }
    default:
      return { type: 'text', text: part.text }
  }
}

/** The text of a data URL or of base64. */
function readFile(data: string): string {
  return Buffer.from(data.slice(data.indexOf(',') + 1), 'base64').toString('utf8')
}
