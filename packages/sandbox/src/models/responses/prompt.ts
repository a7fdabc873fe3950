import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { findProblem } from '../api-error.ts'
import { countPrompt } from '../count-prompt.ts'
import type { Seal } from '../produce.ts'
import { type ChatRequest, Maybe, type Message, type Part, type Tool } from '../requests.ts'
import { ignored, typedParser } from '../typed-values.ts'
import { type ItemPart, readParts, type WholeItem } from './items.ts'
import { type ReadItems, readItems } from './read-items.ts'
import { type PromptRequest, refuseResponseMember } from './request.ts'
import type { ResponseStore } from './store.ts'

const webSearch = ignored(
  'external_web_access',
  'filters',
  'search_context_size',
  'user_location',
  'return_token_budget'
)

const webSearchTypes = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11'
] as const

const parseTool = typedParser(
  {
    function: {
      name: Type.String({ minLength: 1 }),
      description: Maybe(Type.String()),
      parameters: Maybe(Type.Record(Type.String(), Type.Unknown())),
      ...ignored('strict', 'allowed_callers', 'async', 'defer_loading', 'output_schema')
    },
    custom: {
      name: Type.String({ minLength: 1 }),
      description: Maybe(Type.String()),
      ...ignored('format', 'allowed_callers', 'async', 'defer_loading')
    },
    // The stand-in never calls the tools of a namespace.
    namespace: { name: Type.String({ minLength: 1 }), ...ignored('description', 'tools') },
    web_search: webSearch,
    web_search_2025_08_26: webSearch,
    web_search_preview: { ...webSearch, ...ignored('search_content_types') },
    web_search_preview_2025_03_11: { ...webSearch, ...ignored('search_content_types') }
  },
  refuseResponseMember
)

const Named = Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) })

const Choice = Compile(
  Type.Union([
    Type.Enum(['none', 'auto', 'required']),
    Type.Object({
      type: Type.Literal('allowed_tools'),
      mode: Type.Enum(['auto', 'required']),
      tools: Type.Array(Named)
    }),
    Named,
    Type.Null()
  ])
)

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

/**
 * Translates items to the messages of a chat. Reasoning and searches of earlier responses are not part of the prompt.
 */
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

interface ResponseTools {
  /** The tools that the client runs, and its choice, as in a chat. */
  readonly chat: Pick<ChatRequest, 'tools' | 'tool_choice'>
  /** Whether the request has the provider's web search. */
  readonly searches: boolean
}

/**
 * Parses the tools and the tool choice.
 *
 * @throws ApiError (400) for the provider's other tools, which the stand-in lacks
 */
function readTools({ tools, tool_choice: choice }: PromptRequest): ResponseTools {
  const all = (tools ?? []).map((tool, index) => parseTool(tool, ['tools', String(index)]))
  const own = all.flatMap((tool): Tool | [] => {
    if (tool.type === 'function') {
      return {
        type: 'function',
        function: { name: tool.name, description: tool.description, parameters: tool.parameters }
      }
    }
    return tool.type === 'custom' ? { type: 'custom', custom: { name: tool.name, description: tool.description } } : []
  })
  const searches = choice !== 'none' && all.some(({ type }) => webSearchTypes.some((search) => search === type))
  return { chat: { tools: own, tool_choice: readChoice(choice) }, searches }
}

function readChoice(choice: unknown): ChatRequest['tool_choice'] {
  if (choice === undefined) return 'auto'
  const problem = findProblem(Choice, choice, ['tool_choice'])
  if (problem !== null) throw refuseResponseMember(problem)
  if (choice === null || typeof choice === 'string') return choice as 'none' | 'auto' | 'required' | null
  const { type, name = '', mode, tools } = choice as { type: string; name?: string; mode: 'auto'; tools?: Named[] }
  if (tools !== undefined) return { type: 'allowed_tools', allowed_tools: { mode, tools: tools.map(nameTool) } }
  return type === 'function' || type === 'custom' ? nameTool({ type, name }) : 'auto'
}

type Named = Type.Static<typeof Named>

function nameTool({ type, name = '' }: Named) {
  return type === 'custom' ? { type, custom: { name } } : { type, function: { name } }
}
