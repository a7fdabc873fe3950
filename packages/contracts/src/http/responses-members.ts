import { Type } from 'typebox'
import {
  cacheBreakpoint,
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
 * The structured members of a request to the Responses API, as {@link file://./chat-members.ts} has those of a chat.
 * Other members are refused at every depth, since an upstream may give them a meaning and a price. Items and parts of
 * all types share one schema, because upstreams may read a member whatever the type.
 *
 * The members are those of OpenAI's reference (November 2026) that the gateway can bound and price.
 */

const noFiles = 'no files are accepted, because their tokens cannot be counted in advance'

/** A part of a message, of a tool's output or of reasoning. */
const Part = Type.Object(
  {
    type: oneOf(
      ['input_text', 'output_text', 'refusal', 'input_image', 'reasoning_text', 'summary_text', 'computer_screenshot'],
      `the catalog has no price for a part of this type (${noFiles})`
    ),
    text,
    refusal: text,
    image_url: maybe(Type.String({ 'x-note': 'image' })),
    detail: maybe(Type.String({ 'x-note': 'detail' })),
    file_id: refused(noFiles),
    file_url: refused(noFiles),
    file_data: refused(noFiles),
    annotations: freeList,
    logprobs: freeList,
    parsed: unknownValue,
    prompt_cache_breakpoint: cacheBreakpoint
  },
  { ...closed, 'x-note': 'part', 'x-unpriced': 'a part must be an object' }
)

const Grammar = Type.Object({ type: oneOf(['text', 'grammar']), definition: text, syntax: text, grammar: free }, closed)
const toolMembers = {
  name: text,
  description: text,
  parameters: free,
  output_schema: free,
  strict: flag,
  format: maybe(Grammar),
  allowed_callers: freeList,
  async: flag,
  defer_loading: flag,
  display_width: number,
  display_height: number,
  environment: text
}
const clientTools = ['function', 'custom', 'apply_patch', 'local_shell', 'computer', 'computer_use_preview']
const noToolPrice =
  'the catalog has no price for a tool of this type. Send tools that your application runs, such as functions'
const toolType = (types: string[]) => Type.String({ enum: types, 'x-unpriced': noToolPrice, 'x-note': 'label' })
const NamedTool = Type.Object({ type: toolType(clientTools), ...toolMembers }, closed)
const ownTool = { ...toolMembers, tools: maybe(Type.Array(NamedTool)) }
const ownTypes = [...clientTools, 'namespace']
/** The web search, which the provider runs. The gateway checks whether it has a price, and limits its calls. */
export const hostedSearchTypes = ['web_search', 'web_search_2025_08_26']
const Tool = Type.Object(
  {
    type: toolType([...ownTypes, ...hostedSearchTypes]),
    ...ownTool,
    external_web_access: flag,
    filters: free,
    return_token_budget: text,
    search_context_size: text,
    user_location: free
  },
  closed
)
/**
 * Tools within items. Later responses inherit them, without a limit of calls, so the provider must run none of them.
 */
const ItemTool = Type.Object({ type: toolType(ownTypes), ...ownTool }, closed)

/** Items of the provider's other tools have no price. */
const itemTypes = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'computer_call',
  'computer_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'additional_tools',
  'web_search_call',
  'compaction',
  'item_reference'
]

/** An item of the input. Without a type, it is a message; with only an id, it refers to a stored item. */
const Item = Type.Object(
  {
    type: maybe(
      Type.String({
        enum: itemTypes,
        'x-note': 'itemType',
        'x-unpriced': 'the catalog has no price for an item of this type'
      })
    ),
    id: maybe(Type.String({ 'x-note': 'itemId' })),
    role: text,
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Part), Type.Null()], { 'x-note': 'itemContent' })),
    status: text,
    phase: text,
    call_id: text,
    name: text,
    namespace: text,
    arguments: text,
    parsed_arguments: unknownValue,
    input: text,
    output: Type.Optional(Type.Union([Type.String(), Type.Array(Part), Part, Type.Null()])),
    async: flag,
    caller: free,
    created_by: text,
    summary: maybe(Type.Array(Part)),
    encrypted_content: maybe(Type.String({ 'x-note': 'sealed' })),
    action: free,
    actions: freeList,
    operation: free,
    pending_safety_checks: freeList,
    acknowledged_safety_checks: freeList,
    tools: maybe(Type.Array(ItemTool))
  },
  { ...closed, 'x-note': 'item' }
)

export const Input = Type.Optional(Type.Union([Type.String(), Type.Array(Item), Type.Null()], { 'x-bulk': true }))
export const Instructions = Type.Optional(Type.Union([Type.String(), Type.Null()], { 'x-bulk': true }))
export const ResponseTools = Type.Optional(Type.Union([Type.Array(Tool), Type.Null()], { 'x-bulk': true }))
/** A tool that the request has. It defines none. */
const AllowedTool = Type.Object({ type: toolType([...ownTypes, ...hostedSearchTypes]), name: text }, closed)
export const ResponseToolChoice = Type.Optional(
  Type.Union(
    [
      Type.String(),
      Type.Null(),
      Type.Object(
        {
          type: toolType([...ownTypes, ...hostedSearchTypes, 'allowed_tools']),
          name: text,
          mode: text,
          tools: maybe(Type.Array(AllowedTool))
        },
        closed
      )
    ],
    { 'x-bulk': true }
  )
)
const TextFormat = Type.Object({ type: text, name: text, description: text, schema: free, strict: flag }, closed)
export const TextOptions = Type.Optional(
  Type.Union([Type.Object({ format: maybe(TextFormat), verbosity: text }, closed), Type.Null()], { 'x-bulk': true })
)
/** The mode `pro` lets a model work longer, at another price. */
export const ReasoningOptions = maybe(
  Type.Object(
    {
      effort: text,
      summary: text,
      generate_summary: text,
      context: text,
      mode: maybe(oneOf(['standard']))
    },
    closed
  )
)
export const ResponseStreamOptions = maybe(Type.Object({ include_obfuscation: flag }, closed))
/**
 * The gateway checks whether `ttl` has a price. `prewarm` costs more, and `comparison_response_id` refers to a stored
 * response.
 */
export const PromptCacheOptions = maybe(
  Type.Object(
    {
      mode: text,
      ttl: maybe(oneOf(['30m', '12h'])),
      prewarm: refused(noPrice),
      comparison_response_id: refused('responses cannot be compared here')
    },
    closed
  )
)
export const Include = maybe(Type.Array(Type.String()))

/** The id of a conversation that the provider stores. */
export const Conversation = maybe(
  Type.Union([Type.String({ minLength: 1 }), Type.Object({ id: Type.String({ minLength: 1 }) }, closed)])
)

/** Members that the gateway refuses unless they are null. */
export const noTemplate = refused(
  'templates are stored at the provider, so their cost cannot be bounded. Write the prompt into input'
)
/** Other APIs' names for the output limit and the number of answers. Some providers obey them. */
export const otherResponseLimit = refused('this endpoint has max_output_tokens instead')
