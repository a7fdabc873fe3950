import type {
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseFunctionWebSearch,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseReasoningItem
} from 'openai/resources/responses/responses'
import { chatLogprobs, joinPieces, type Produced, type ProducedCall, type Seal } from '../produce.ts'
import { type Piece, randomId } from '../write-text.ts'
import { reasoningKind } from './read-items.ts'
import type { ResponseRequest } from './request.ts'

type Status = 'completed' | 'incomplete'

/** An item of a response's output: its final form and what is streamed of it. */
export type OutputItem =
  | { readonly kind: 'reasoning'; readonly whole: ResponseReasoningItem; readonly summary: string | null }
  | { readonly kind: 'search'; readonly whole: ResponseFunctionWebSearch }
  | {
      readonly kind: 'message'
      readonly whole: ResponseOutputMessage
      readonly part: ResponseOutputText
      readonly pieces: readonly Piece[]
    }
  | {
      readonly kind: 'call'
      readonly whole: ResponseFunctionToolCall | ResponseCustomToolCall
      readonly call: ProducedCall
    }

interface Made extends Produced {
  readonly reasoningTokens: number
  /** Calls of the web search. */
  readonly searches: number
  readonly query: string
}

/** Builds the output: reasoning, searches, then a message or tool calls. */
export function buildOutput(made: Made, request: ResponseRequest, seal: Seal): OutputItem[] {
  const { content, calls, finish, reasoningTokens } = made
  const last: Status = finish === 'length' ? 'incomplete' : 'completed'
  const items: OutputItem[] = []
  if (reasoningTokens > 0) items.push(reasoningItem(request, reasoningTokens, seal))
  for (let search = 0; search < made.searches; search++) items.push(searchItem(made.query, request))
  // Without a token left after the reasoning there is no message.
  if (content !== null && (content.length > 0 || items.length === 0)) {
    items.push(messageItem(content, made.searches > 0, request, last))
  }
  for (const [index, call] of calls.entries()) {
    items.push(callItem(call, index === calls.length - 1 ? last : 'completed'))
  }
  return items
}

const summaryText = 'The sandbox thinks about the question.'

function reasoningItem({ reasoning }: ResponseRequest, tokens: number, seal: Seal): OutputItem {
  const id = randomId('rs_')
  const isSummed = typeof reasoning?.summary === 'string'
  const whole: ResponseReasoningItem = {
    id,
    type: 'reasoning',
    summary: isSummed ? [{ type: 'summary_text', text: summaryText }] : [],
    encrypted_content: seal.seal(reasoningKind, `${tokens} tokens of reasoning`)
  }
  return { kind: 'reasoning', whole, summary: isSummed ? summaryText : null }
}

const sourceUrl = 'https://example.com/sandbox'

function searchItem(query: string, { include }: ResponseRequest): OutputItem {
  const sources = include?.includes('web_search_call.action.sources') === true
  return {
    kind: 'search',
    whole: {
      id: randomId('ws_'),
      type: 'web_search_call',
      status: 'completed',
      action: {
        type: 'search',
        query,
        queries: [query],
        ...(sources && { sources: [{ type: 'url' as const, url: sourceUrl }] })
      }
    }
  }
}

function messageItem(pieces: readonly Piece[], cites: boolean, request: ResponseRequest, status: Status): OutputItem {
  const text = joinPieces(pieces)
  const part: ResponseOutputText = {
    type: 'output_text',
    annotations: cites
      ? [{ type: 'url_citation', start_index: 0, end_index: text.length, url: sourceUrl, title: 'Sandbox' }]
      : [],
    logprobs: logprobsOf(pieces, request),
    text
  }
  return {
    kind: 'message',
    whole: { id: randomId('msg_'), type: 'message', status, content: [part], role: 'assistant' },
    part,
    pieces
  }
}

/** The log probabilities of pieces, if the request includes them. */
export function logprobsOf(pieces: readonly Piece[], request: ResponseRequest) {
  if (request.include?.includes('message.output_text.logprobs') !== true) return []
  return (chatLogprobs(pieces, request.top_logprobs ?? 0).content ?? []).map((token) => ({
    ...token,
    bytes: token.bytes ?? [],
    top_logprobs: token.top_logprobs.map((other) => ({ ...other, bytes: other.bytes ?? [] }))
  }))
}

function callItem(call: ProducedCall, status: Status): OutputItem {
  const { id: call_id, name } = call
  const text = joinPieces(call.pieces)
  if (call.type === 'custom') {
    return { kind: 'call', call, whole: { id: randomId('ctc_'), type: 'custom_tool_call', call_id, name, input: text } }
  }
  return {
    kind: 'call',
    call,
    whole: { id: randomId('fc_'), type: 'function_call', status, arguments: text, call_id, name }
  }
}
