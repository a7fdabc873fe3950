import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static } from 'typebox'
import { invalidRequest } from '../api-error.ts'
import { requestParser } from '../parse-request.ts'
import { Maybe } from '../requests.ts'
import { closed, ignored } from '../typed-values.ts'
import { refuseMessageMember } from './refuse.ts'

/** The mark of a block up to which the prompt is cached. */
export const CacheControl = Maybe(
  closed({ type: Type.Literal('ephemeral'), ttl: Type.Optional(Type.Enum(['5m', '1h'])) })
)
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
