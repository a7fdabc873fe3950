import { countPrompt } from '../count-prompt.ts'
import type { ChatRequest } from '../requests.ts'
import type { Seal } from '../seal.ts'
import { type ReadItems, readItems } from './read-items.ts'
import type { PromptRequest } from './request.ts'
import type { ResponseStore } from './store.ts'
import { readTools } from './tools.ts'
import { messagesOf } from './translate.ts'

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
