import type { IncomingHttpHeaders } from 'node:http'
import type { Static } from 'typebox'
import Type from 'typebox'
import { type ApiError, invalidRequest, type Problem } from '../api-error.ts'
import { type ChatRequest, Maybe, requestParser, type Tool } from '../requests.ts'
import { closed, ignored, type Typed, typedParser } from '../typed-values.ts'

/** The mark of a block up to which the prompt is cached. */
export const CacheControl = Maybe(
  closed({ type: Type.Literal('ephemeral'), ttl: Type.Optional(Type.Enum(['5m', '1h'])) })
)

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

const parseTool = typedParser(toolKinds, refuseMessageMember)

/** Older clients send it as their default. */
const unset = Type.Literal(-1)

const Content = Type.Union([Type.String(), Type.Array(Type.Unknown())])
const Effort = Maybe(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max']))

const thinkingMembers = {
  display: Maybe(Type.Enum(['summarized', 'omitted'])),
  block_binding: Maybe(closed({ prefix_mismatch_behavior: Maybe(Type.Enum(['error', 'drop_block'])) }))
}

const Message = Type.Union([
  closed({ role: Type.Enum(['user', 'assistant']), content: Content }),
  closed({
    role: Type.Literal('system'),
    content: Type.Optional(Content),
    output_config: Maybe(closed({ effort: Effort })),
    clear_at: Maybe(Type.Enum(['next_user_message', 'never']))
  })
])

/** The members that shape the prompt. Blocks and tools are parsed by their types. */
const promptMembers = {
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Message, { minItems: 1 }),
  system: Type.Optional(Content),
  cache_control: CacheControl,
  tools: Type.Optional(Type.Array(Type.Unknown())),
  tool_choice: Type.Optional(
    closed({
      type: Type.Enum(['auto', 'any', 'tool', 'none']),
      name: Type.Optional(Type.String()),
      disable_parallel_tool_use: Type.Optional(Type.Boolean())
    })
  ),
  thinking: Type.Optional(
    Type.Union([
      closed({ type: Type.Literal('enabled'), budget_tokens: Type.Integer({ minimum: 1024 }), ...thinkingMembers }),
      closed({ type: Type.Literal('adaptive'), ...thinkingMembers }),
      closed({ type: Type.Enum(['disabled', 'between_tools']) })
    ])
  ),
  output_config: Type.Optional(
    closed({
      effort: Effort,
      format: Maybe(closed({ type: Type.Literal('json_schema'), schema: Type.Record(Type.String(), Type.Unknown()) }))
    })
  ),
  speed: Maybe(Type.Enum(['standard', 'fast'])),
  ...ignored('context_management', 'user_profile_id', 'workspace_id')
}

const MessageRequest = closed({
  ...promptMembers,
  max_tokens: Type.Integer({ minimum: 0 }),
  stream: Type.Optional(Type.Boolean()),
  stop_sequences: Type.Optional(Type.Array(Type.String())),
  service_tier: Type.Optional(Type.Enum(['auto', 'standard_only'])),
  inference_geo: Maybe(Type.String()),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: 1 }), unset])),
  top_k: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), unset])),
  ...ignored('metadata', 'container', 'diagnostics')
})

/** The body of `POST /v1/messages`. */
export type MessageRequest = Static<typeof MessageRequest>

const CountTokensRequest = closed(promptMembers)

/** The body of `POST /v1/messages/count_tokens`. */
export type PromptRequest = Static<typeof CountTokensRequest>

const parseMessage = requestParser(MessageRequest, refuseMessageMember)
const parseCountTokens = requestParser(CountTokensRequest, refuseMessageMember)

/** Reads a request to `/v1/messages`. @throws ApiError (400) */
export function readMessageRequest(body: Buffer, headers: IncomingHttpHeaders): MessageRequest {
  const version = readVersion(headers)
  const request = parseMessage(body)
  const sampling = (['temperature', 'top_p', 'top_k'] as const).find((member) => request[member] !== undefined)
  if (version === latestVersion && sampling !== undefined) {
    throw refuseMessageMember({ kind: 'unknown', path: [sampling], detail: '' })
  }
  const { thinking, max_tokens: maxTokens } = request
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= maxTokens) {
    throw invalidRequest('`max_tokens` must be greater than `thinking.budget_tokens`.', 'max_tokens')
  }
  return request
}

/** Reads a request to `/v1/messages/count_tokens`. @throws ApiError (400) */
export function readCountTokensRequest(body: Buffer, headers: IncomingHttpHeaders): PromptRequest {
  readVersion(headers)
  return parseCountTokens(body)
}

const latestVersion = '2026-10-21'
const versions = ['2023-01-01', '2023-06-01', latestVersion]

function readVersion(headers: IncomingHttpHeaders): string {
  const version = headers['anthropic-version']
  if (typeof version !== 'string') throw invalidRequest('anthropic-version: header is required')
  if (!versions.includes(version)) throw invalidRequest(`anthropic-version: "${version}" is not a valid version`)
  return version
}

/** The error about an invalid member, in this API's words. */
export function refuseMessageMember({ kind, path, detail }: Problem): ApiError {
  if (path.length === 0) return invalidRequest('The request body is not a JSON object.')
  const param = path.join('.')
  if (kind === 'missing') return invalidRequest(`${param}: Field required`, param)
  if (kind === 'unknown') return invalidRequest(`${param}: Extra inputs are not permitted`, param)
  return invalidRequest(`${param}: Input ${detail}`, param)
}

export type MessageTool = Typed<typeof toolKinds>

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
