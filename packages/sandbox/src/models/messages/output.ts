import type {
  ContentBlock,
  RawContentBlockDelta,
  ServerToolUseBlock,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
  WebSearchToolResultBlock
} from '@anthropic-ai/sdk/resources/messages'
import { joinPieces, type Produced, type ProducedCall, type Seal } from '../produce.ts'
import { type Piece, randomId } from '../write-text.ts'
import { thinkingKind } from './blocks.ts'
import type { MessageRequest } from './request.ts'

/** A block of an answer: its final form, and how it is streamed. */
export interface AnswerBlock {
  readonly whole: ContentBlock
  readonly start: ContentBlock
  readonly startTokens: number
  readonly deltas: ReadonlyArray<{ readonly delta: RawContentBlockDelta; readonly tokens: number }>
}

interface Made extends Produced {
  readonly thinks: boolean
  /** Calls of the web search. */
  readonly searches: number
  readonly query: string
}

/** Builds the blocks of an answer: thinking, searches, then a text or tool calls. */
export function buildBlocks(made: Made, request: MessageRequest, seal: Seal): AnswerBlock[] {
  const { content, calls } = made
  const searches = Array.from({ length: made.searches }, () => searchBlocks(made.query)).flat()
  return [
    ...(made.thinks ? [thinkingBlock(request, seal)] : []),
    ...searches,
    ...(content !== null && content.length > 0 ? [textBlock(content, made.searches > 0)] : []),
    ...calls.map(callBlock)
  ]
}

const thought = 'The sandbox thinks about the question.'

function thinkingBlock({ thinking }: MessageRequest, seal: Seal): AnswerBlock {
  const isHidden = thinking !== undefined && 'display' in thinking && thinking.display === 'omitted'
  const text = isHidden ? '' : thought
  const signature = seal.seal(thinkingKind, thought)
  const whole: ThinkingBlock = { type: 'thinking', thinking: text, signature }
  return {
    whole,
    start: { type: 'thinking', thinking: '', signature: '' },
    startTokens: 0,
    deltas: [
      ...(isHidden ? [] : [{ delta: { type: 'thinking_delta' as const, thinking: text }, tokens: 0 }]),
      { delta: { type: 'signature_delta', signature }, tokens: 0 }
    ]
  }
}

const url = 'https://example.com/sandbox'
const direct = { type: 'direct' } as const

function searchBlocks(query: string): AnswerBlock[] {
  const id = randomId('srvtoolu_')
  const use: ServerToolUseBlock = { type: 'server_tool_use', id, name: 'web_search', input: { query }, caller: direct }
  const result: WebSearchToolResultBlock = {
    type: 'web_search_tool_result',
    tool_use_id: id,
    caller: direct,
    content: [{ type: 'web_search_result', url, title: 'Sandbox', encrypted_content: 'c2FuZGJveA==', page_age: null }]
  }
  const delta = { type: 'input_json_delta' as const, partial_json: JSON.stringify({ query }) }
  return [
    { whole: use, start: { ...use, input: {} }, startTokens: 0, deltas: [{ delta, tokens: 0 }] },
    { whole: result, start: result, startTokens: 0, deltas: [] }
  ]
}

function textBlock(pieces: readonly Piece[], cites: boolean): AnswerBlock {
  const citation = {
    type: 'web_search_result_location' as const,
    url,
    title: 'Sandbox',
    cited_text: 'sandbox',
    encrypted_index: 'c2FuZGJveA=='
  }
  // Without citations the API omits the member, but the SDK's type has null. Older clients fail on null.
  const block = (text: string, citations: TextBlock['citations']) =>
    ({ type: 'text', text, ...(cites && { citations }) }) as TextBlock
  const texts = pieces.map(({ text, tokens }) => ({ delta: { type: 'text_delta' as const, text }, tokens }))
  return {
    whole: block(joinPieces(pieces), [citation]),
    start: block('', []),
    startTokens: 0,
    deltas: cites ? [{ delta: { type: 'citations_delta', citation }, tokens: 0 }, ...texts] : texts
  }
}

function callBlock({ name, nameTokens, pieces }: ProducedCall): AnswerBlock {
  const block: ToolUseBlock = { type: 'tool_use', id: randomId('toolu_'), name, input: {}, caller: direct }
  return {
    whole: { ...block, input: parseInput(joinPieces(pieces)) },
    start: block,
    startTokens: nameTokens,
    deltas: [
      { delta: { type: 'input_json_delta', partial_json: '' }, tokens: 0 },
      ...pieces.map(({ text, tokens }) => ({
        delta: { type: 'input_json_delta' as const, partial_json: text },
        tokens
      }))
    ]
  }
}

/** The input of a call; empty if the limit of tokens cut it off. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
