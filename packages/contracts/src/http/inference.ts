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
import { described } from './described.ts'
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
  id: described('The id of the answer.', Type.String()),
  object: described('Always this.', Type.Literal('response.compaction')),
  output: described(
    'The items that stand for the whole conversation. Send them as the next `input`.',
    Type.Array(
      Type.Object({ type: described('What the item is. The type says which further members it has.', Type.String()) })
    )
  ),
  usage: described(
    'Tokens of the call.',
    Type.Object({
      input_tokens: described('Tokens of the input.', Type.Integer()),
      output_tokens: described('Tokens of the output.', Type.Integer()),
      total_tokens: described('Both together.', Type.Integer())
    })
  )
})

export const InputTokens = Type.Object({
  object: described('Always this.', Type.Literal('response.input_tokens')),
  input_tokens: described('Tokens of the input.', Type.Integer())
})

/** The provider's answer to the deletion of a response. */
export const DeletedResponse = Type.Object({
  id: described('The id of the response.', Type.String()),
  deleted: described('Whether the provider deleted it.', Type.Boolean())
})

/** The items that a response got as its input. */
export const InputItemList = Type.Object({
  object: described('Always this.', Type.Literal('list')),
  data: described(
    'A page of items.',
    Type.Array(
      Type.Object({ type: described('What the item is. The type says which further members it has.', Type.String()) })
    )
  ),
  has_more: described('Whether there is a further page.', Type.Boolean())
})

const cost = Type.Optional(
  Type.Number({
    minimum: 0,
    description: 'US dollars that the request is charged, with all digits. Only if the request asks for it.'
  })
)
const Usage = Type.Object({
  prompt_tokens: described('Tokens of the prompt.', Type.Integer()),
  completion_tokens: described('Tokens of the answer, with hidden reasoning.', Type.Integer()),
  total_tokens: described('Both together.', Type.Integer()),
  cost
})

/** The members that every provider's moderation has. Providers have different categories. */
export const Moderation = Type.Object({
  id: described('The id of the answer.', Type.String()),
  model: described('The model that answered.', Type.String()),
  results: described(
    'One for each input, in order.',
    Type.Array(
      Type.Object({
        flagged: described('Whether the input is harmful.', Type.Optional(Type.Boolean())),
        categories: described('Whether the input is harmful, by category.', Type.Record(Type.String(), Type.Boolean())),
        category_scores: described(
          'How sure the model is, from 0 to 1, by category.',
          Type.Record(Type.String(), Type.Number())
        )
      })
    )
  )
})

/** How the answers of chats and completions begin, and the chunks of their streams. */
const answerHead = <Name extends string>(object: Name) => ({
  id: described('The id of the answer.', Type.String()),
  object: described('Always this.', Type.Literal(object)),
  created: described('When it was made, in Unix seconds.', Type.Integer()),
  model: described('The model that answered.', Type.String())
})

const chunkFinishReason = described(
  'Why it ended; null before the end.',
  Type.Optional(Type.Union([Type.String(), Type.Null()]))
)
const chunkUsage = described(
  'Only in the last chunk, if `include_usage` asks for it.',
  Type.Optional(Type.Union([Usage, Type.Null()]))
)

/** The members that every provider's chat completion has. */
export const ChatCompletion = Type.Object({
  ...answerHead('chat.completion'),
  choices: described(
    'The answers: as many as `n`.',
    Type.Array(
      Type.Object({
        index: described('The place in the list.', Type.Integer()),
        message: described(
          'The message of the model. It may have further members, such as `tool_calls`.',
          Type.Object({
            role: described('Always `assistant`.', Type.String()),
            content: described(
              'The text; null if the model only calls tools.',
              Type.Union([Type.String(), Type.Null()])
            )
          })
        ),
        finish_reason: described(
          'Why it ended: `stop`, `length` (the output limit), `tool_calls` or `content_filter`.',
          Type.Union([Type.String(), Type.Null()])
        )
      })
    )
  ),
  usage: described('What was counted.', Usage)
})

/**
 * One event of a chat's stream. Azure's first one has no choices. The last one has the usage, and no choices, if the
 * request asks for it.
 */
export const ChatCompletionChunk = Type.Object({
  ...answerHead('chat.completion.chunk'),
  choices: described(
    'Empty in the last chunk, which has the usage.',
    Type.Array(
      Type.Object({
        index: described('The place of the answer.', Type.Integer()),
        delta: described(
          'What is new.',
          Type.Object({
            role: described('Only in the first chunk.', Type.Optional(Type.Union([Type.String(), Type.Null()]))),
            content: described('The next piece of the text.', Type.Optional(Type.Union([Type.String(), Type.Null()])))
          })
        ),
        finish_reason: chunkFinishReason
      })
    )
  ),
  usage: chunkUsage
})

export const Completion = Type.Object({
  ...answerHead('text_completion'),
  choices: described(
    'The answers: as many as `n`.',
    Type.Array(
      Type.Object({
        index: described('The place in the list.', Type.Integer()),
        text: described('The text.', Type.String()),
        finish_reason: described(
          'Why it ended: `stop` or `length` (the output limit).',
          Type.Union([Type.String(), Type.Null()])
        )
      })
    )
  ),
  usage: described('What was counted.', Usage)
})

/** One event of a completion's stream. */
export const CompletionChunk = Type.Object({
  ...Completion.properties,
  choices: described(
    'Empty in the last chunk, which has the usage.',
    Type.Array(
      Type.Object({
        index: described('The place of the answer.', Type.Integer()),
        text: described('The next piece of the text.', Type.String()),
        finish_reason: chunkFinishReason
      })
    )
  ),
  usage: chunkUsage
})

/**
 * One event of a stream of OpenAI's Responses API or Anthropic's Messages API: its type says which further members it
 * has.
 */
export const TypedEvent = Type.Object(
  { type: described('What the event is. The type says which further members it has.', Type.String()) },
  { additionalProperties: true }
)

/** The members that every provider's response has. */
export const ModelResponse = Type.Object({
  id: described('The id of the response.', Type.String()),
  object: described('Always this.', Type.Literal('response')),
  created_at: described('When it was made, in Unix seconds.', Type.Number()),
  status: described('`completed`, `incomplete` (such as at the output limit) or `failed`.', Type.String()),
  model: described('The model that answered.', Type.String()),
  output: described(
    'The items of the answer: messages, calls of tools, reasoning.',
    Type.Array(
      Type.Object({ type: described('What the item is. The type says which further members it has.', Type.String()) })
    )
  ),
  usage: described(
    'What was counted; null while the response runs.',
    Type.Optional(
      Type.Union([
        Type.Object({
          input_tokens: described('Tokens of the input.', Type.Integer()),
          output_tokens: described('Tokens of the output, with hidden reasoning.', Type.Integer()),
          total_tokens: described('Both together.', Type.Integer()),
          cost
        }),
        Type.Null()
      ])
    )
  )
})

export const EmbeddingList = Type.Object({
  object: described('Always this.', Type.Literal('list')),
  model: described('The model that answered.', Type.String()),
  data: described(
    'One vector for each input.',
    Type.Array(
      Type.Object({
        object: described('Always this.', Type.Literal('embedding')),
        index: described('The place of the input.', Type.Integer()),
        embedding: described(
          'The vector: numbers, or base64 of them if the request asks for it.',
          Type.Union([Type.Array(Type.Number()), Type.String({ description: 'Base64, if the request asks for it.' })])
        )
      })
    )
  ),
  usage: described(
    'What was counted.',
    Type.Object({
      prompt_tokens: described('Tokens of the inputs.', Type.Integer()),
      total_tokens: described('The same.', Type.Integer()),
      cost
    })
  )
})

/** The members that every provider's message has. */
export const MessageAnswer = Type.Object({
  id: described('The id of the message.', Type.String()),
  type: described('Always this.', Type.Literal('message')),
  role: described('Always this.', Type.Literal('assistant')),
  model: described('The model that answered.', Type.String()),
  content: described(
    'The blocks of the answer: text, thinking, calls of tools. Each has a `type`, which says its further members.',
    Type.Array(Type.Object({ type: described('What the block is.', Type.String()) }))
  ),
  stop_reason: described(
    'Why it ended: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn` or `refusal`; null before the end.',
    Type.Union([Type.String(), Type.Null()])
  ),
  usage: described(
    'What was counted.',
    Type.Object({
      input_tokens: described('Tokens of the prompt, without those below.', Type.Integer()),
      cache_creation_input_tokens: described(
        'Tokens that were written into the provider’s cache.',
        Type.Optional(Type.Union([Type.Integer(), Type.Null()]))
      ),
      cache_read_input_tokens: described(
        'Tokens that were read from the provider’s cache.',
        Type.Optional(Type.Union([Type.Integer(), Type.Null()]))
      ),
      output_tokens: described('Tokens of the answer, with thinking.', Type.Integer())
    })
  )
})

export const TokenCount = Type.Object({ input_tokens: described('Tokens of the prompt.', Type.Integer()) })
