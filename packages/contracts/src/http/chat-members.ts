import { Type } from 'typebox'
import {
  cacheBreakpoint,
  closed,
  flag,
  free,
  freeList,
  maybe,
  noPrice,
  oneOf,
  refused,
  text,
  unknownValue
} from './member-schemas.ts'

/**
 * The structured members of a chat request. Other members are refused at every depth, since an upstream may give them a
 * meaning and a price. Free objects may have any members: they are text for the model, or labels.
 *
 * The members are those of OpenAI's reference (August 2026), and those that agents send to other providers or copy from
 * their answers. None of them changes the price of a token or the number of answers.
 */

/** Marks a part of the prompt for the provider's cache (OpenRouter, Anthropic). A longer `ttl` costs more. */
const cacheControl = maybe(
  Type.Object({ type: Type.Optional(Type.String({ enum: ['ephemeral'] })), ttl: Type.Optional(oneOf(['5m'])) }, closed)
)

const ThinkingPart = Type.Object(
  { type: Type.String({ enum: ['text', 'reference'] }), text, reference_ids: unknownValue },
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

const noFiles = 'no files are accepted, because their tokens cannot be counted in advance'

/** A part of a message. Upstreams may read its type or its other members, so both are bounded. */
const Part = Type.Object(
  {
    type: Type.String({
      enum: ['text', 'refusal', 'thinking', 'reasoning', 'image_url', 'input_audio'],
      'x-note': 'partType',
      'x-unpriced':
        'the catalog has no price for a part of this type (no files are accepted, because their tokens cannot be counted in advance)'
    }),
    text,
    refusal: text,
    // Anthropic's models send a text, Mistral's a list of parts.
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
  { ...closed, 'x-note': 'part', 'x-unpriced': 'a part must be an object' }
)

const FunctionCall = Type.Object({ name: text, arguments: text, parsed_arguments: unknownValue }, closed)

/** Gemini expects `extra_content` and `thought_signature` back with its calls. */
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

/**
 * `reasoning…` and `thinking…` are providers' names for earlier reasoning. `prefix` and `partial` ask the model to
 * continue.
 */
const Message = Type.Object(
  {
    // Any role: providers add roles, and no role has a price.
    role: Type.String(),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Part), Type.Null()])),
    name: text,
    refusal: text,
    tool_calls: maybe(Type.Array(ToolCall)),
    tool_call_id: text,
    function_call: maybe(FunctionCall),
    audio: refused('the catalog has no price for audio of an earlier answer'),
    annotations: freeList,
    parsed: unknownValue,
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
/** For endpoints without tools. */
export const NoTools = refused(noPrice)
/** The legacy form of tools. */
export const Functions = Type.Optional(Type.Union([Type.Array(FunctionDefinition), Type.Null()], { 'x-bulk': true }))
const Named = Type.Object({ name: Type.String() }, closed)
export const FunctionCallChoice = maybe(Type.Union([Type.String(), Named]))
/** A tool that the request has. It defines none. */
const AllowedTool = Type.Object(
  { type: Type.Optional(oneOf(['function', 'custom'])), function: maybe(Named), custom: maybe(Named) },
  closed
)
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
          allowed_tools: maybe(Type.Object({ mode: text, tools: maybe(Type.Array(AllowedTool)) }, closed))
        },
        closed
      )
    ],
    { 'x-bulk': true }
  )
)

/** Some servers take `schema` and `grammar` here instead of OpenAI's `json_schema`. */
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
