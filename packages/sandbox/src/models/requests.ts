import Type, { type Static, type TSchema } from 'typebox'

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
