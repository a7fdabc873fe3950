import { Type } from 'typebox'
import {
  FunctionCallChoice,
  Functions,
  Messages,
  NoTools,
  ResponseFormat,
  Stop,
  StreamOptions,
  ToolChoice,
  Tools
} from './chat-members.ts'
import { closed, maybe, noPrice, text, UsageOption } from './member-schemas.ts'
import {
  ContextManagement,
  MessageCacheControl,
  MessageList,
  MessageTier,
  MessageToolChoice,
  MessageTools,
  noCompaction,
  noContainer,
  noOtherModels,
  noRegion,
  noServers,
  noStoredState,
  OutputConfig,
  OutputFormat,
  oneAnswer,
  otherLimit,
  RequestMetadata,
  Speed,
  StopSequences,
  System,
  Thinking
} from './messages-members.ts'
import {
  Conversation,
  Include,
  Input,
  Instructions,
  noTemplate,
  otherResponseLimit,
  PromptCacheOptions,
  ReasoningOptions,
  ResponseStreamOptions,
  ResponseToolChoice,
  ResponseTools,
  TextOptions
} from './responses-members.ts'

/**
 * The members of inference requests that the gateway reads. It passes on other members that the provider accepts,
 * unchanged.
 */

const model = Type.String({ minLength: 1 })
const stream = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))

/** Maximum of output tokens for each answer. 0 is refused, because some providers take it for no limit. */
const OutputLimit = Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]))
/** Number of answers. */
const Answers = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 128 }), Type.Null()]))

const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })
/** A text, several texts, a text as tokens, or several texts as tokens. */
const TextOrTokens = Type.Union(
  [Type.String(), Type.Array(Type.String(), { minItems: 1 }), Tokens, Type.Array(Tokens, { minItems: 1 })],
  { 'x-note': 'inputs', 'x-bulk': true }
)

export const ChatRequest = Type.Object({
  model,
  messages: Messages,
  max_tokens: OutputLimit,
  max_completion_tokens: OutputLimit,
  n: Answers,
  stream,
  stream_options: StreamOptions,
  stop: Stop,
  tools: Tools,
  tool_choice: ToolChoice,
  functions: Functions,
  function_call: FunctionCallChoice,
  response_format: ResponseFormat,
  usage: UsageOption
})

export const CompletionRequest = Type.Object({
  model,
  prompt: Type.Optional(Type.Union([TextOrTokens, Type.Null()], { 'x-note': 'inputs', 'x-bulk': true })),
  max_tokens: OutputLimit,
  n: Answers,
  best_of: Answers,
  stream,
  stream_options: StreamOptions,
  stop: Stop,
  tools: NoTools,
  usage: UsageOption
})

export const EmbeddingRequest = Type.Object({ model, input: TextOrTokens, tools: NoTools, usage: UsageOption })

/** A text, or a picture at a URL or in one. */
const ModerationPart = Type.Object(
  {
    type: Type.String({ enum: ['text', 'image_url'], 'x-note': 'partType', 'x-unpriced': noPrice }),
    text,
    image_url: maybe(Type.Object({ url: Type.String({ 'x-note': 'url' }) }, { ...closed, 'x-note': 'image' }))
  },
  { ...closed, 'x-note': 'part' }
)

export const ModerationRequest = Type.Object({
  model,
  input: Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), ModerationPart]), { minItems: 1 })], {
    'x-bulk': true
  })
})

const messageMembers = {
  model,
  messages: MessageList,
  system: System,
  stream,
  stop_sequences: StopSequences,
  metadata: RequestMetadata,
  thinking: Thinking,
  tools: MessageTools,
  tool_choice: MessageToolChoice,
  output_config: OutputConfig,
  output_format: OutputFormat,
  cache_control: MessageCacheControl,
  context_management: ContextManagement,
  service_tier: MessageTier,
  speed: Speed,
  inference_geo: noRegion,
  mcp_servers: noServers,
  container: noContainer,
  thread: Type.Optional(Type.Unknown()),
  diagnostics: noStoredState,
  compaction: noCompaction,
  fallbacks: noOtherModels,
  fallback_credit_token: noOtherModels,
  billing_policy: noOtherModels,
  max_completion_tokens: otherLimit,
  max_output_tokens: otherLimit,
  n: oneAnswer,
  best_of: oneAnswer
}

/** The output limit is required. 0 is refused, because it only fills the provider's cache. */
export const MessageRequest = Type.Object({ ...messageMembers, max_tokens: Type.Integer({ minimum: 1 }) })

/** A request to count the tokens of a message's prompt. */
export const TokenCountRequest = Type.Object({
  ...messageMembers,
  max_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]))
})

/** OpenAI refuses fewer output tokens in a response. */
export const minResponseTokens = 16

export const ResponseRequest = Type.Object({
  model,
  input: Input,
  instructions: Instructions,
  max_output_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: minResponseTokens }), Type.Null()])),
  stream,
  stream_options: ResponseStreamOptions,
  store: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  previous_response_id: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
  background: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  max_tool_calls: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  tools: ResponseTools,
  tool_choice: ResponseToolChoice,
  text: TextOptions,
  reasoning: ReasoningOptions,
  include: Include,
  prompt_cache_options: PromptCacheOptions,
  prompt: noTemplate,
  conversation: Conversation,
  context_management: noCompaction,
  max_tokens: otherResponseLimit,
  max_completion_tokens: otherResponseLimit,
  n: oneAnswer,
  best_of: oneAnswer,
  usage: UsageOption
})

/** The members of a response that are part of its prompt. */
export const InputTokensRequest = Type.Object({
  model,
  input: Input,
  instructions: Instructions,
  previous_response_id: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
  conversation: Conversation,
  tools: ResponseTools,
  tool_choice: ResponseToolChoice,
  text: TextOptions,
  reasoning: ReasoningOptions,
  parallel_tool_calls: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  personality: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  truncation: Type.Optional(Type.Union([Type.String(), Type.Null()]))
})

/** A request to compact a conversation. It has no limit of the output. */
export const CompactRequest = Type.Object({
  model,
  input: Input,
  instructions: Instructions,
  previous_response_id: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
  prompt_cache_key: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  prompt_cache_options: PromptCacheOptions,
  service_tier: Type.Optional(Type.Union([Type.String(), Type.Null()]))
})

/** The members that every provider's compacted conversation has. */
export const Compaction = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  output: Type.Array(Type.Object({ type: Type.String() })),
  usage: Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer(), total_tokens: Type.Integer() })
})

export const InputTokens = Type.Object({
  object: Type.Literal('response.input_tokens'),
  input_tokens: Type.Integer()
})

/** The provider's answer to the deletion of a response. */
export const DeletedResponse = Type.Object({ id: Type.String(), deleted: Type.Boolean() })

/** The items that a response got as its input. */
export const InputItemList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ type: Type.String() })),
  has_more: Type.Boolean()
})

const cost = Type.Optional(
  Type.Number({
    minimum: 0,
    description: 'US dollars that the request is charged, with all digits. Only if the request asks for it.'
  })
)
const Usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  cost
})

/** The members that every provider's moderation has. Providers have different categories. */
export const Moderation = Type.Object({
  id: Type.String(),
  model: Type.String(),
  results: Type.Array(
    Type.Object({
      flagged: Type.Optional(Type.Boolean()),
      categories: Type.Record(Type.String(), Type.Boolean()),
      category_scores: Type.Record(Type.String(), Type.Number())
    })
  )
})

/** The members that every provider's chat completion has. */
export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({ role: Type.String(), content: Type.Union([Type.String(), Type.Null()]) }),
      finish_reason: Type.Union([Type.String(), Type.Null()])
    })
  ),
  usage: Usage
})

/**
 * One event of a chat's stream. Azure's first one has no choices. The last one has the usage, and no choices, if the
 * request asks for it.
 */
export const ChatCompletionChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        role: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        content: Type.Optional(Type.Union([Type.String(), Type.Null()]))
      }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()]))
    })
  ),
  usage: Type.Optional(Type.Union([Usage, Type.Null()]))
})

export const Completion = Type.Object({
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      text: Type.String(),
      finish_reason: Type.Union([Type.String(), Type.Null()])
    })
  ),
  usage: Usage
})

/** One event of a completion's stream. */
export const CompletionChunk = Type.Object({
  ...Completion.properties,
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      text: Type.String(),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()]))
    })
  ),
  usage: Type.Optional(Type.Union([Usage, Type.Null()]))
})

/**
 * One event of a stream of OpenAI's Responses API or Anthropic's Messages API: its type says which further members it
 * has.
 */
export const TypedEvent = Type.Object({ type: Type.String() }, { additionalProperties: true })

/** The members that every provider's response has. */
export const ModelResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Number(),
  status: Type.String(),
  model: Type.String(),
  output: Type.Array(Type.Object({ type: Type.String() })),
  usage: Type.Optional(
    Type.Union([
      Type.Object({
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        total_tokens: Type.Integer(),
        cost
      }),
      Type.Null()
    ])
  )
})

export const EmbeddingList = Type.Object({
  object: Type.Literal('list'),
  model: Type.String(),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer(),
      embedding: Type.Union([
        Type.Array(Type.Number()),
        Type.String({ description: 'Base64, if the request asks for it.' })
      ])
    })
  ),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer(), cost })
})

/** The members that every provider's message has. */
export const MessageAnswer = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(Type.Object({ type: Type.String() })),
  stop_reason: Type.Union([Type.String(), Type.Null()]),
  usage: Type.Object({
    input_tokens: Type.Integer(),
    cache_creation_input_tokens: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    cache_read_input_tokens: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    output_tokens: Type.Integer()
  })
})

export const TokenCount = Type.Object({ input_tokens: Type.Integer() })
