import Type from 'typebox'
import { invalidRequest } from '../api-error.ts'
import type { Seal } from '../produce.ts'
import { Maybe } from '../requests.ts'
import { closed, ignored, type Typed, typedParser } from '../typed-values.ts'
import { CacheControl, refuseMessageMember } from './request.ts'

/** The kind of thinking for the seal. */
export const thinkingKind = 'thinking'

const Content = Type.Union([Type.String(), Type.Array(Type.Unknown())])
const Source = closed({
  type: Type.Enum(['base64', 'url', 'file', 'text', 'content']),
  data: Type.Optional(Type.String()),
  content: Type.Optional(Content),
  ...ignored('media_type', 'url', 'file_id')
})
const cached = { cache_control: CacheControl }
const toolUse = {
  id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  input: Type.Record(Type.String(), Type.Unknown()),
  ...cached,
  ...ignored('caller', 'toolset_name')
}

const blockKinds = {
  text: { text: Type.String(), ...cached, ...ignored('citations') },
  image: { source: Source, ...cached, ...ignored('transformations') },
  document: {
    source: Source,
    title: Maybe(Type.String()),
    context: Maybe(Type.String()),
    ...cached,
    ...ignored('citations')
  },
  search_result: {
    title: Type.String(),
    content: Type.Array(Type.Unknown()),
    ...cached,
    ...ignored('source', 'citations')
  },
  thinking: { thinking: Type.String(), signature: Type.String() },
  redacted_thinking: { data: Type.String() },
  tool_use: toolUse,
  tool_result: {
    tool_use_id: Type.String({ minLength: 1 }),
    content: Type.Optional(Content),
    ...cached,
    ...ignored('is_error', 'toolset_name')
  },
  server_tool_use: toolUse,
  web_search_tool_result: { tool_use_id: Type.String(), content: Type.Unknown(), ...cached, ...ignored('caller') }
}
/** A block of a message. */
export type Block = Typed<typeof blockKinds>

const parseBlock = typedParser(blockKinds, refuseMessageMember)

/** The blocks of a content. A text is one block. @throws ApiError (400) */
export function readBlocks(content: string | readonly unknown[], path: readonly string[]): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((block, index) => parseBlock(block, [...path, String(index)]))
}

/** The text of a block, as the model reads it. Thinking of earlier messages is not part of the prompt. */
export function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'document':
      return [block.title, block.context, sourceText(block.source)]
        .filter((text) => typeof text === 'string')
        .join('\n')
    case 'search_result':
      return [block.title, contentText(block.content)].join('\n')
    case 'tool_use':
    case 'server_tool_use':
      return `${block.name} ${JSON.stringify(block.input)}`
    case 'tool_result':
      return contentText(block.content ?? '')
    case 'web_search_tool_result':
      return JSON.stringify(block.content)
    default:
      return ''
  }
}

/** The images in a block, as data URLs; empty for an image whose bytes the server does not have. */
export function blockImages(block: Block): string[] {
  if (block.type === 'image') return [`data:;base64,${block.source.data ?? ''}`]
  if (block.type !== 'tool_result' || typeof block.content !== 'object') return []
  return readBlocks(block.content, ['content']).flatMap(blockImages)
}

function contentText(content: string | readonly unknown[]): string {
  return readBlocks(content, ['content']).map(blockText).join('\n')
}

function sourceText({ type, data = '', content }: Type.Static<typeof Source>): string {
  if (type === 'text') return data
  return content === undefined ? Buffer.from(data, 'base64').toString('utf8') : contentText(content)
}

export interface ReadMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly Block[]
}

/**
 * Checks that tool results follow their calls, and that thinking is what this server has signed.
 *
 * @throws ApiError (400)
 */
export function checkMessages(messages: readonly ReadMessage[], seal: Seal): void {
  let open: string[] = []
  for (const [at, { blocks }] of messages.entries()) {
    const answered = new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : [])))
    const missing = open.find((id) => !answered.has(id))
    if (missing !== undefined) {
      const message = `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      throw invalidRequest(message, 'messages')
    }
    for (const [index, block] of blocks.entries()) checkBlock(block, `messages.${at}.content.${index}`, open, seal)
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? block.id : []))
  }
}

function checkBlock(block: Block, path: string, open: readonly string[], seal: Seal): void {
  if (block.type === 'tool_result' && !open.includes(block.tool_use_id)) {
    const message = `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    throw invalidRequest(message, path)
  }
  if (block.type === 'thinking') {
    const signed = seal.open(thinkingKind, block.signature)
    // Hidden thinking comes back empty.
    if (signed === null || (block.thinking !== '' && signed !== block.thinking)) {
      throw invalidRequest(`${path}: Invalid \`signature\` in \`thinking\` block`, path)
    }
  }
  if (block.type === 'redacted_thinking') {
    throw invalidRequest(`${path}: Invalid \`data\` in \`redacted_thinking\` block`, path)
  }
}
