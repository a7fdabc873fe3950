import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import type { Static, TSchema } from 'typebox'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type ApiError, findProblem, invalidRequest, type Problem } from './api-error.ts'
import { decodeTokens } from './write-text.ts'

const maxLength = 100

// The request members that the endpoints read. Other members are accepted and ignored.

export const Maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const Model = Type.String({ minLength: 1 })
const Stream = {
  stream: Maybe(Type.Boolean()),
  stream_options: Maybe(Type.Object({ include_usage: Maybe(Type.Boolean()) }))
}
const Stop = Maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })]))
const Choices = Maybe(Type.Integer({ minimum: 1, maximum: 128 }))
const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })

const Part = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String()),
  image_url: Type.Optional(Type.Object({ url: Type.String(), detail: Maybe(Type.String()) })),
  input_audio: Type.Optional(Type.Object({ data: Type.String(), format: Type.String() }))
})
export type Part = Static<typeof Part>

const Message = Type.Object({
  role: Type.Enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
  content: Maybe(Type.Union([Type.String(), Type.Array(Part)])),
  name: Maybe(Type.String()),
  tool_calls: Maybe(
    Type.Array(
      Type.Object({
        function: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.String() })),
        custom: Type.Optional(Type.Object({ name: Type.String(), input: Type.String() }))
      })
    )
  )
})
export type Message = Static<typeof Message>

const Schema = Type.Record(Type.String(), Type.Unknown())
const FunctionTool = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.String({ minLength: 1 }),
    description: Maybe(Type.String()),
    parameters: Maybe(Schema)
  })
})
const CustomTool = Type.Object({
  type: Type.Literal('custom'),
  custom: Type.Object({ name: Type.String({ minLength: 1 }), description: Maybe(Type.String()) })
})
const Tool = Type.Union([FunctionTool, CustomTool])
export type Tool = Static<typeof Tool>

const Named = Type.Object({
  type: Type.Optional(Type.String()),
  function: Type.Optional(Type.Object({ name: Type.String() })),
  custom: Type.Optional(Type.Object({ name: Type.String() }))
})
const AllowedTools = Type.Object({
  type: Type.Literal('allowed_tools'),
  allowed_tools: Type.Object({ mode: Type.Enum(['auto', 'required']), tools: Type.Array(Named) })
})

export const ChatRequest = Type.Object({
  model: Model,
  messages: Type.Array(Message, { minItems: 1 }),
  ...Stream,
  max_tokens: Maybe(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Maybe(Type.Integer({ minimum: 1 })),
  n: Choices,
  stop: Stop,
  logprobs: Maybe(Type.Boolean()),
  top_logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  tools: Maybe(Type.Array(Tool)),
  tool_choice: Maybe(Type.Union([Type.Enum(['none', 'auto', 'required']), AllowedTools, Named])),
  parallel_tool_calls: Maybe(Type.Boolean()),
  response_format: Maybe(
    Type.Union([
      Type.Object({ type: Type.Enum(['text', 'json_object']) }),
      Type.Object({ type: Type.Literal('json_schema'), json_schema: Type.Object({ schema: Maybe(Schema) }) })
    ])
  ),
  service_tier: Type.Optional(Type.Unknown()),
  web_search_options: Type.Optional(Type.Unknown())
})
export type ChatRequest = Static<typeof ChatRequest>

export const CompletionRequest = Type.Object({
  model: Model,
  prompt: Maybe(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 }), Tokens, Type.Array(Tokens, { minItems: 1 })])
  ),
  ...Stream,
  max_tokens: Maybe(Type.Integer({ minimum: 0 })),
  n: Choices,
  best_of: Maybe(Type.Integer({ minimum: 1, maximum: 20 })),
  stop: Stop,
  echo: Maybe(Type.Boolean()),
  logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 5 }))
})
export type CompletionRequest = Static<typeof CompletionRequest>

const maxInputs = 2048
export const EmbeddingRequest = Type.Object({
  model: Model,
  input: Type.Union([
    Type.String({ minLength: 1 }),
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: maxInputs }),
    Tokens,
    Type.Array(Tokens, { minItems: 1, maxItems: maxInputs })
  ]),
  dimensions: Maybe(Type.Integer({ minimum: 1 })),
  encoding_format: Maybe(Type.Enum(['float', 'base64']))
})
export type EmbeddingRequest = Static<typeof EmbeddingRequest>

export const ModerationRequest = Type.Object({
  model: Model,
  input: Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), Part]), { minItems: 1 })])
})
export type ModerationRequest = Static<typeof ModerationRequest>

/** The text of a message. Each part is on its own line. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? part.refusal ?? []).join('\n')
}

/** What the provider's web search looks for: the start of the last question. */
export function searchQuery({ messages }: ChatRequest): string {
  const source = messages.findLast(({ role }) => role === 'user')
  return source === undefined ? '' : textOf(source).slice(0, maxLength).toWellFormed()
}

/** One input of a request. */
export interface Input {
  readonly text: string
  readonly tokens: number
}

/**
 * Reads one or several inputs, each a text or a list of token numbers.
 *
 * @param param the name of the member, for errors
 * @throws ApiError (400) if a number is not a token
 */
export function readInputs(input: string | string[] | number[] | number[][], param: string): Input[] {
  if (typeof input === 'string') return [readText(input)]
  if (isTokenList(input)) return [readTokens(input, param)]
  return input.map((item) => (typeof item === 'string' ? readText(item) : readTokens(item, param)))
}

function isTokenList(input: string[] | number[] | number[][]): input is number[] {
  return typeof input[0] === 'number'
}

function readText(text: string): Input {
  return { text, tokens: countTokens(text) }
}

function readTokens(tokens: readonly number[], param: string): Input {
  const text = decodeTokens(tokens)
  if (text === null) throw invalidRequest(`Invalid token in '${param}'.`, param, 'invalid_value')
  return { text, tokens: tokens.length }
}

/**
 * Creates the parser of one kind of request.
 *
 * @param refuse words the error about an invalid member
 * @returns a function that parses the bytes of a body by the schema
 * @throws ApiError (400, from that function) that names the invalid member
 */
export function requestParser<Schema extends TSchema>(
  schema: Schema,
  refuse: (problem: Problem) => ApiError = refuseMember
): (body: Buffer) => Static<Schema> {
  const validator = Compile(schema)
  return (body) => {
    const value = parseJson(body)
    const problem = findProblem(validator, value)
    if (problem !== null) throw refuse(problem)
    return value as Static<Schema>
  }
}

/** The error about an invalid member, in OpenAI's words where it has them. */
export function refuseMember({ kind, path, detail }: Problem): ApiError {
  if (path.length === 0) return invalidRequest('The JSON body of your request should be an object.')
  const param = path.join('.')
  if (kind === 'missing') {
    return invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
  }
  if (kind === 'unknown') return invalidRequest(`Unknown parameter: '${param}'.`, param, 'unknown_parameter')
  return invalidRequest(`Invalid value for '${param}': ${detail}.`, param, 'invalid_value')
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw invalidRequest('We could not parse the JSON body of your request.')
  }
}
