import Type from 'typebox'
import { invalidRequest } from '../api-error.ts'
import { type ChatRequest, Maybe, type Tool } from '../requests.ts'
import { ignored, type Typed, typedParser } from '../typed-values.ts'
import { refuseMessageMember } from './refuse.ts'
import { CacheControl, type PromptRequest } from './request.ts'

const common = {
  name: Type.String({ minLength: 1 }),
  cache_control: CacheControl,
  ...ignored('allowed_callers', 'defer_loading', 'strict')
}
const webSearch = {
  ...common,
  max_uses: Maybe(Type.Integer({ minimum: 1 })),
  ...ignored('allowed_domains', 'blocked_domains', 'user_location')
}
const toolKinds = {
  custom: {
    ...common,
    description: Type.Optional(Type.String()),
    input_schema: Type.Record(Type.String(), Type.Unknown()),
    ...ignored('eager_input_streaming', 'input_examples')
  },
  web_search_20250305: webSearch,
  web_search_20260209: webSearch
}
export type MessageTool = Typed<typeof toolKinds>

const parseTool = typedParser(toolKinds, refuseMessageMember)

/** Parses the tools. @throws ApiError (400) for the provider's other tools, which the stand-in lacks */
export function readTools({ tools }: PromptRequest): MessageTool[] {
  return (tools ?? []).map((tool, index) => {
    const isCustom = typeof tool === 'object' && tool !== null && (Reflect.get(tool, 'type') ?? null) === null
    return parseTool(isCustom ? { ...tool, type: 'custom' } : tool, ['tools', String(index)])
  })
}

/** The tools that the client runs, and its choice, as in a chat. @throws ApiError (400) */
export function chatTools(
  tools: readonly MessageTool[],
  { tool_choice: choice }: PromptRequest
): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const own = tools.flatMap((tool): Tool | [] =>
    tool.type === 'custom'
      ? {
          type: 'function',
          function: { name: tool.name, description: tool.description, parameters: tool.input_schema }
        }
      : []
  )
  const parallel = choice?.disable_parallel_tool_use !== true
  return { tools: own, tool_choice: readChoice(choice, own), parallel_tool_calls: parallel }
}

function readChoice(choice: PromptRequest['tool_choice'], tools: readonly Tool[]): ChatRequest['tool_choice'] {
  if (choice === undefined || choice.type === 'auto') return 'auto'
  if (choice.type !== 'tool') return choice.type === 'any' ? 'required' : 'none'
  const { name = '' } = choice
  if (!tools.some((tool) => tool.type === 'function' && tool.function.name === name)) {
    throw invalidRequest(`Tool '${name}' not found in provided tools`, 'tool_choice')
  }
  return { type: 'function', function: { name } }
}

/** How often the provider's web search may run; null without that tool. */
export function maxSearches(tools: readonly MessageTool[]): number | null {
  const tool = tools.find(({ type }) => type !== 'custom')
  if (tool === undefined || tool.type === 'custom') return null
  return tool.max_uses ?? Number.POSITIVE_INFINITY
}
