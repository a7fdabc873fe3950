import { type TSchema, Type } from 'typebox'
import {
  closed,
  flag,
  free,
  freeList,
  maybe,
  noPrice,
  number,
  oneOf,
  refused,
  text,
  unknownValue
} from './member-schemas.ts'

/**
 * The structured members of a request to Anthropic's Messages API, as `chat-members.ts` has those of a chat. Other
 * members are refused at every depth, since an upstream may give them a meaning and a price. Blocks of all types share
 * one schema, because upstreams may read a member whatever the type.
 *
 * The members are those of Anthropic's reference (November 2026), with its betas, that the gateway can bound and price.
 */

const bulk = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()], { 'x-bulk': true }))
const noFiles = 'files are refused, because their tokens cannot be counted in advance'
const labelOf = (values: string[], reason = noPrice) =>
  Type.String({ enum: values, 'x-unpriced': reason, 'x-note': 'label' })

/** Marks a part of the prompt for the provider's cache. Both texts are counted, because each time has its own price. */
export const MessageCacheControl = maybe(
  Type.Object({ type: labelOf(['ephemeral']), ttl: Type.Optional(labelOf(['5m', '1h'])) }, closed)
)

/** An image within the body or at an address. */
const ImageSource = Type.Object(
  {
    type: oneOf(['base64', 'url'], noFiles),
    media_type: text,
    data: maybe(Type.String({ 'x-note': 'imageData' })),
    url: maybe(Type.String({ 'x-note': 'image' })),
    file_id: refused(noFiles)
  },
  closed
)
const noBlockPrice = `the catalog has no price for a block of this type; ${noFiles}`
/** An image's address, or where a search result is from. */
const source = Type.Optional(Type.Union([Type.String(), ImageSource, Type.Null()]))
/** What an answer quotes, or whether it may quote a search result. */
const citations = Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Object({}), Type.Null()]))

/** A block within the result of a tool, or within a search result. */
const InnerBlock = Type.Object(
  {
    type: oneOf(['text', 'image', 'search_result', 'web_search_result', 'web_search_tool_result_error'], noBlockPrice),
    text,
    source,
    title: text,
    content: Type.Optional(
      Type.Union([
        Type.Array(
          Type.Object(
            { type: oneOf(['text'], noBlockPrice), text, citations, cache_control: MessageCacheControl },
            { ...closed, 'x-note': 'part' }
          )
        ),
        Type.Null()
      ])
    ),
    citations,
    url: text,
    encrypted_content: text,
    page_age: text,
    error_code: text,
    cache_control: MessageCacheControl
  },
  { ...closed, 'x-note': 'part', 'x-unpriced': 'a block must be an object' }
)

const Block = Type.Object(
  {
    type: oneOf(
      [
        'text',
        'image',
        'tool_use',
        'tool_result',
        'thinking',
        'redacted_thinking',
        'search_result',
        'server_tool_use',
        'web_search_tool_result'
      ],
      noBlockPrice
    ),
    text,
    source,
    title: text,
    citations,
    id: text,
    name: text,
    input: unknownValue,
    caller: free,
    toolset_name: text,
    tool_use_id: text,
    // A search that failed has a single block.
    content: Type.Optional(Type.Union([Type.String(), Type.Array(InnerBlock), InnerBlock, Type.Null()])),
    is_error: flag,
    thinking: text,
    signature: text,
    data: text,
    cache_control: MessageCacheControl
  },
  { ...closed, 'x-note': 'part', 'x-unpriced': 'a block must be an object' }
)

const Message = Type.Object(
  {
    // Any role: no role has a price.
    role: Type.String(),
    // A system message may have only an effort.
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Block)])),
    /** The effort from this message on. The output limit bounds it. */
    output_config: maybe(Type.Object({ effort: text }, closed)),
    clear_at: text
  },
  { ...closed, 'x-note': 'message' }
)
export const MessageList = Type.Array(Message, { minItems: 1, 'x-bulk': true })

const SystemBlock = Type.Object(
  { type: oneOf(['text'], noBlockPrice), text, citations, cache_control: MessageCacheControl },
  { ...closed, 'x-note': 'part' }
)
export const System = bulk(Type.Union([Type.String(), Type.Array(SystemBlock)]))

/** Tools that the application runs, and whose definitions the provider writes into the prompt. */
export const clientToolTypes = [
  'bash_20241022',
  'bash_20250124',
  'text_editor_20241022',
  'text_editor_20250124',
  'text_editor_20250429',
  'text_editor_20250728',
  'memory_20250818',
  'computer_20241022',
  'computer_20250124',
  'computer_20251124',
  'computer_toolset_20260801',
  'browser_toolset_20260801'
]
/** The web search, which the provider runs. The gateway checks whether it has a price, and limits its uses. */
export const hostedSearchType = 'web_search_20250305'
const Tool = Type.Object(
  {
    type: maybe(
      labelOf(
        ['custom', ...clientToolTypes, hostedSearchType],
        'the catalog has no price for a tool that the provider runs. Send tools that your application runs'
      )
    ),
    name: text,
    description: text,
    input_schema: free,
    input_examples: freeList,
    strict: flag,
    eager_input_streaming: flag,
    defer_loading: flag,
    allowed_callers: freeList,
    cache_control: MessageCacheControl,
    max_characters: number,
    display_width_px: number,
    display_height_px: number,
    display_number: number,
    enable_zoom: flag,
    configs: free,
    max_uses: Type.Optional(Type.Integer({ minimum: 1, 'x-note': 'callLimit' })),
    allowed_domains: freeList,
    blocked_domains: freeList,
    user_location: free
  },
  { ...closed, 'x-note': 'tool' }
)
export const MessageTools = bulk(Type.Array(Tool))
export const MessageToolChoice = bulk(
  Type.Object({ type: oneOf(['auto', 'any', 'tool', 'none']), name: text, disable_parallel_tool_use: flag }, closed)
)

/** Thinking is output, so the output limit bounds it. */
export const Thinking = maybe(
  Type.Object(
    {
      type: Type.String(),
      budget_tokens: maybe(Type.Integer({ minimum: 1 })),
      display: text,
      /** What happens to earlier thinking of another conversation. Dropping it only shortens the prompt. */
      block_binding: maybe(Type.Object({ prefix_mismatch_behavior: text }, closed))
    },
    closed
  )
)
const Format = Type.Object({ type: text, schema: free }, closed)
export const OutputFormat = bulk(Format)
export const OutputConfig = bulk(
  Type.Object(
    {
      effort: text,
      format: maybe(Format),
      task_budget: maybe(Type.Object({ type: text, total: number, remaining: number }, closed))
    },
    closed
  )
)

/** These edits only shorten the prompt. */
const Edit = Type.Object(
  {
    type: oneOf(['clear_tool_uses_20250919', 'clear_thinking_20251015'], 'the catalog has no price for compaction'),
    trigger: unknownValue,
    keep: unknownValue,
    clear_at_least: unknownValue,
    clear_tool_inputs: unknownValue,
    exclude_tools: unknownValue
  },
  closed
)
export const ContextManagement = bulk(Type.Object({ edits: maybe(Type.Array(Edit)) }, closed))

export const StopSequences = bulk(Type.Array(Type.String()))
export const RequestMetadata = bulk(Type.Object({ user_id: text }, closed))
export const MessageTier = maybe(oneOf(['auto', 'standard_only']))
export const Speed = maybe(oneOf(['standard']))

/** Members that the gateway refuses unless they are null. */
export const noServers = refused('the catalog has no price for tools that the provider calls')
export const noContainer = refused('the catalog has no price for containers')
export const noStoredState = refused('messages that the provider stores cannot be bounded')
export const noCompaction = refused('the catalog has no price for compaction')
export const noOtherModels = refused('the catalog has no price for other models that take part')
export const noRegion = refused('the catalog has no price for regions')
/** Other APIs' names for the output limit and the number of answers. Some providers obey them. */
export const otherLimit = refused('this endpoint has max_tokens instead')
export const oneAnswer = refused('this endpoint gives one answer')
