import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { findProblem } from '../find-problem.ts'
import { type ChatRequest, Maybe, type Tool } from '../requests.ts'
import { ignored, typedParser } from '../typed-values.ts'
import { refuseResponseMember } from './refuse.ts'
import type { PromptRequest } from './request.ts'

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

export interface ResponseTools {
  /** The tools that the client runs, and its choice, as in a chat. */
  readonly chat: Pick<ChatRequest, 'tools' | 'tool_choice'>
  /** Whether the request has the provider's web search. */
  readonly searches: boolean
}

/** Parses the tools and the tool choice. @throws ApiError (400) for the provider's other tools, which the stand-in lacks */
export function readTools({ tools, tool_choice: choice }: PromptRequest): ResponseTools {
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
