import type { Static } from 'typebox'
import Type from 'typebox'
import { type ApiError, invalidRequest, type Problem } from '../api-error.ts'
import { Maybe, refuseMember } from '../requests.ts'
import { closed, ignored } from '../typed-values.ts'

/** The members that shape the prompt. Items, tools and the tool choice are parsed by their types. */
const promptMembers = {
  input: Maybe(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
  instructions: Maybe(Type.String()),
  previous_response_id: Maybe(Type.String()),
  conversation: Type.Optional(Type.Unknown()),
  tools: Maybe(Type.Array(Type.Unknown())),
  tool_choice: Type.Optional(Type.Unknown()),
  parallel_tool_calls: Maybe(Type.Boolean()),
  reasoning: Maybe(
    closed({
      effort: Maybe(Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
      summary: Maybe(Type.Enum(['auto', 'concise', 'detailed'])),
      ...ignored('generate_summary', 'context', 'mode')
    })
  ),
  text: Maybe(
    closed({
      format: Maybe(
        Type.Union([
          closed({ type: Type.Enum(['text', 'json_object']) }),
          closed({
            type: Type.Literal('json_schema'),
            name: Type.String({ minLength: 1 }),
            schema: Type.Record(Type.String(), Type.Unknown()),
            description: Maybe(Type.String()),
            strict: Maybe(Type.Boolean())
          })
        ])
      ),
      ...ignored('verbosity')
    })
  ),
  ...ignored('truncation')
}

const promptModel = Type.String({ minLength: 1 })

/** The body of `POST /v1/responses`. */
export const ResponseRequest = closed({
  ...promptMembers,
  model: Type.String({ minLength: 1 }),
  store: Maybe(Type.Boolean()),
  background: Maybe(Type.Boolean()),
  prompt: Type.Optional(Type.Unknown()),
  stream: Maybe(Type.Boolean()),
  stream_options: Maybe(closed({ include_obfuscation: Maybe(Type.Boolean()) })),
  max_output_tokens: Maybe(Type.Integer({ minimum: 16 })),
  max_tool_calls: Maybe(Type.Integer({ minimum: 1 })),
  include: Maybe(Type.Array(Type.String())),
  top_logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  metadata: Maybe(Type.Record(Type.String(), Type.String())),
  service_tier: Maybe(Type.Enum(['auto', 'default', 'flex', 'priority', 'fast', 'ultrafast', 'scale'])),
  temperature: Maybe(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  ...ignored('access_programs', 'client_metadata', 'context_management', 'image', 'moderation', 'prompt_cache_key'),
  ...ignored('prompt_cache_options', 'prompt_cache_retention', 'safety_identifier', 'user')
})
export type ResponseRequest = Static<typeof ResponseRequest>

/** The body of `POST /v1/responses/compact`. */
export const CompactRequest = closed({
  model: promptModel,
  input: promptMembers.input,
  instructions: promptMembers.instructions,
  previous_response_id: promptMembers.previous_response_id,
  service_tier: Maybe(Type.Enum(['auto', 'default', 'flex', 'priority'])),
  ...ignored('prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention')
})
export type CompactRequest = Static<typeof CompactRequest>

/** The body of `POST /v1/responses/input_tokens`. */
export const InputTokensRequest = closed({
  ...promptMembers,
  model: Type.String({ minLength: 1 }),
  ...ignored('personality')
})
export type PromptRequest = Static<typeof InputTokensRequest>

/** The error about an invalid member, with a path as this API writes it: `input[0].content[1].type`. */
export function refuseResponseMember({ kind, path, detail }: Problem): ApiError {
  const param = pathOf(path)
  return refuseMember({ kind, path: param === '' ? [] : [param], detail })
}

/** The path as this API writes it. */
export function pathOf(path: readonly string[]): string {
  return path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`)).join('')
}

/** The errors about what the server does not have. */
export const responseNotFound = (id: string) => ({ message: `Response with id '${id}' not found.` })

export const previousNotFound = (id: string): ApiError =>
  invalidRequest(`Previous response with id '${id}' not found.`, 'previous_response_id', 'previous_response_not_found')
