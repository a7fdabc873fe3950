import Type from 'typebox'
import { Maybe } from '../requests.ts'
import { closed, ignored, type Typed, typedParser } from '../typed-values.ts'
import { refuseResponseMember } from './request.ts'

const Id = Type.Optional(Type.String())
const Content = Type.Union([Type.String(), Type.Array(Type.Unknown())])
const callOutput = { id: Maybe(Type.String()), call_id: Type.String({ minLength: 1 }), output: Content }

const itemKinds = {
  message: {
    id: Id,
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: Content,
    ...ignored('status', 'phase')
  },
  reasoning: {
    id: Id,
    summary: Type.Array(closed({ type: Type.Literal('summary_text'), text: Type.String() })),
    encrypted_content: Maybe(Type.String()),
    ...ignored('content', 'status')
  },
  function_call: {
    id: Id,
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    arguments: Type.String(),
    ...ignored('status', 'async', 'caller', 'namespace')
  },
  function_call_output: { ...callOutput, ...ignored('status', 'caller', 'name', 'namespace') },
  custom_tool_call: {
    id: Id,
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    input: Type.String(),
    ...ignored('status', 'caller', 'namespace')
  },
  custom_tool_call_output: { ...callOutput, ...ignored('status', 'caller') },
  // The stand-in counts their tokens, and never calls them.
  additional_tools: { id: Id, role: Type.Literal('developer'), tools: Type.Array(Type.Unknown()) },
  web_search_call: { id: Id, ...ignored('action', 'status') },
  compaction: { id: Id, encrypted_content: Type.String() },
  item_reference: { id: Type.String({ minLength: 1 }) }
}

/** An item of a conversation, as a client sends it or as a response keeps it. */
export type Item = Typed<typeof itemKinds>
/** An item that is no reference to another. */
export type WholeItem = Exclude<Item, { type: 'item_reference' }>

const cached = ignored('prompt_cache_breakpoint')
const partKinds = {
  input_text: { text: Type.String(), ...cached },
  input_image: { image_url: Maybe(Type.String()), detail: Maybe(Type.String()), ...ignored('file_id'), ...cached },
  input_file: {
    filename: Maybe(Type.String()),
    file_data: Maybe(Type.String()),
    ...ignored('file_id', 'file_url', 'detail'),
    ...cached
  },
  output_text: { text: Type.String(), ...ignored('annotations', 'logprobs') },
  refusal: { refusal: Type.String() }
}
/** A part of an item's content. */
export type ItemPart = Typed<typeof partKinds>

const parseTyped = typedParser(itemKinds, refuseResponseMember)
const parsePart = typedParser(partKinds, refuseResponseMember)

/** Parses an item. A message and a reference may lack their `type`. @throws ApiError (400) */
export function parseItem(value: unknown, path: readonly string[]): Item {
  const item = parseTyped(typed(value), path)
  if (item.type === 'message') readParts(item.content, [...path, 'content'])
  if ('output' in item) readParts(item.output, [...path, 'output'])
  return item
}

/** The parts of a content. A text is one part. @throws ApiError (400) */
export function readParts(content: string | readonly unknown[], path: readonly string[] = []): ItemPart[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  return content.map((part, index) => parsePart(part, [...path, String(index)]))
}

function typed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'type' in value) return value
  if ('role' in value) return { type: 'message', ...value }
  return 'id' in value && Object.keys(value).length === 1 ? { type: 'item_reference', ...value } : value
}
