import { type TSchema, Type } from 'typebox'

/**
 * The members of a chat that have a structure of their own. What is not here is refused at every depth, since an upstream
 * may give a meaning and a price to it. Free objects may have any members: they are text for the model, or labels.
 *
 * Beside what OpenAI's reference documents (August 2026) there are members that agents send to other providers, or repeat
 * from their answers. None of them changes the price of a token or the number of answers.
 */

const closed = { additionalProperties: false }
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const text = maybe(Type.String())
const flag = maybe(Type.Boolean())
const free = maybe(Type.Object({}))
const freeList = maybe(Type.Array(Type.Unknown()))
const any = Type.Optional(Type.Unknown())
/** @param reason completes "<path>: …" */
const refused = (reason: string) => Type.Optional(Type.Null({ 'x-unpriced': reason }))
const noPrice = 'has no price here'
const oneOf = (values: string[], reason = noPrice) => Type.String({ enum: values, 'x-unpriced': reason })

/** Where a provider's cache of prompts begins to keep (OpenRouter, Anthropic). A longer life costs more. */
const cacheControl = maybe(
  Type.Object({ type: Type.Optional(Type.String({ enum: ['ephemeral'] })), ttl: Type.Optional(oneOf(['5m'])) }, closed)
)
/** The same of OpenAI. */
const cacheBreakpoint = maybe(Type.Object({ mode: text, ttl: Type.Optional(oneOf(['30m'])) }, closed))

const ThinkingPart = Type.Object(
  { type: Type.String({ enum: ['text', 'reference'] }), text, reference_ids: any },
  closed
)

const image = Type.Union(
  [
    Type.String(),
    Type.Object({ url: Type.String({ 'x-note': 'url' }), detail: maybe(Type.String({ 'x-note': 'detail' })) }, closed)
  ],
  { 'x-note': 'image' }
)
const audio = Type.Object({ data: Type.String({ 'x-note': 'data' }), format: text }, { ...closed, 'x-note': 'audio' })

const noFiles = 'no files are accepted, because their tokens cannot be bounded'

/** A part of a message. Upstreams may go by its type or by the members that it has: each is bounded by both. */
const Part = Type.Object(
  {
    type: Type.String({
      enum: ['text', 'refusal', 'thinking', 'reasoning', 'image_url', 'input_audio'],
      'x-note': 'partType',
      'x-unpriced':
        'a part of this type has no price here (no files are accepted, because their tokens cannot be bounded)'
    }),
    text,
    refusal: text,
    // A text of Anthropic's models, parts with texts of Mistral's.
    thinking: Type.Optional(Type.Union([Type.String(), Type.Array(ThinkingPart), Type.Null()])),
    reasoning: text,
    signature: text,
    image_url: Type.Optional(Type.Union([image, Type.Null()])),
    input_audio: Type.Optional(Type.Union([audio, Type.Null()])),
    file: refused(noFiles),
    annotations: freeList,
    cache_control: cacheControl,
    prompt_cache_breakpoint: cacheBreakpoint
  },
  { ...closed, 'x-note': 'part', 'x-unpriced': 'a part that is no object has no price here' }
)

const FunctionCall = Type.Object({ name: text, arguments: text, parsed_arguments: any }, closed)

/** `extra_content` and `thought_signature` are what Gemini wants back with its calls. */
const ToolCall = Type.Object(
  {
    id: text,
    type: text,
    index: maybe(Type.Number()),
    function: maybe(FunctionCall),
    custom: maybe(Type.Object({ name: text, input: text }, closed)),
    extra_content: free,
    thought_signature: text,
    provider_specific_fields: free,
    cache_control: cacheControl
  },
  closed
)

/** `reasoning…` and `thinking…` are the model's earlier thoughts as providers name them, `prefix` and `partial` ask to go on. */
const Message = Type.Object(
  {
    // Providers have roles of their own, and none has a price.
    role: Type.String(),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Part), Type.Null()])),
    name: text,
    refusal: text,
    tool_calls: maybe(Type.Array(ToolCall)),
    tool_call_id: text,
    function_call: maybe(FunctionCall),
    audio: refused('audio of an earlier answer has no price here'),
    annotations: freeList,
    parsed: any,
    reasoning: text,
    reasoning_content: text,
    reasoning_details: freeList,
    thinking: text,
    thinking_blocks: freeList,
    extra_content: free,
    provider_specific_fields: free,
    cache_control: cacheControl,
    prefix: flag,
    partial: flag
  },
  { ...closed, 'x-note': 'message' }
)

export const Messages = Type.Array(Message, { minItems: 1, 'x-bulk': true })

const FunctionDefinition = Type.Object(
  { name: Type.String(), description: text, parameters: free, strict: flag, cache_control: cacheControl },
  closed
)
const Grammar = Type.Object({ definition: Type.String(), syntax: Type.String() }, closed)
const CustomDefinition = Type.Object(
  {
    name: Type.String(),
    description: text,
    format: maybe(Type.Object({ type: text, grammar: maybe(Grammar), definition: text, syntax: text }, closed))
  },
  closed
)
const Tool = Type.Object(
  {
    type: Type.Optional(oneOf(['function', 'custom'])),
    function: maybe(FunctionDefinition),
    custom: maybe(CustomDefinition),
    cache_control: cacheControl
  },
  closed
)

export const Tools = Type.Optional(Type.Union([Type.Array(Tool), Type.Null()], { 'x-bulk': true }))
/** Where no tool can be used. */
export const NoTools = refused(noPrice)
/** Of the time before tools. */
export const Functions = Type.Optional(Type.Union([Type.Array(FunctionDefinition), Type.Null()], { 'x-bulk': true }))
const Named = Type.Object({ name: Type.String() }, closed)
export const FunctionCallChoice = maybe(Type.Union([Type.String(), Named]))
export const ToolChoice = Type.Optional(
  Type.Union(
    [
      Type.String(),
      Type.Null(),
      Type.Object(
        {
          type: Type.Optional(oneOf(['function', 'custom', 'allowed_tools', 'auto', 'any', 'none', 'required'])),
          function: maybe(Named),
          custom: maybe(Named),
          allowed_tools: maybe(Type.Object({ mode: text, tools: maybe(Type.Array(Type.Object({}))) }, closed))
        },
        closed
      )
    ],
    { 'x-bulk': true }
  )
)

/** `schema` and `grammar` beside the type are how some servers take what OpenAI puts into `json_schema`. */
export const ResponseFormat = Type.Optional(
  Type.Union(
    [
      Type.Object(
        {
          type: Type.String(),
          json_schema: maybe(Type.Object({ name: text, description: text, schema: free, strict: flag }, closed)),
          schema: free,
          grammar: text
        },
        closed
      ),
      Type.Null()
    ],
    { 'x-bulk': true }
  )
)

export const Stop = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], { 'x-bulk': true })
)

export const StreamOptions = Type.Optional(
  Type.Union([
    Type.Object({ include_usage: flag, include_obfuscation: flag, continuous_usage_stats: flag }, closed),
    Type.Null()
  ])
)
