import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { type Piece, splitIntoPieces } from './tokens.ts'

export type Finish = 'stop' | 'length' | 'tool_calls'

/** A tool call. Its arguments or input are streamed in pieces. */
export interface ProducedCall {
  readonly id: string
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly nameTokens: number
  readonly pieces: readonly Piece[]
}

/** One choice of an answer, independent of the endpoint's format. */
export interface Produced {
  readonly content: readonly Piece[] | null
  readonly calls: readonly ProducedCall[]
  readonly finish: Finish
  /** The stop sequence that ended the text. */
  readonly stoppedBy?: string
}

/** Produces a text. It ends before the first stop sequence, or after `limit` tokens. */
export function produceText(
  text: string,
  stop: string | readonly string[] | null | undefined,
  limit: number
): Produced {
  const { kept, stoppedBy } = cutAtStop(text, stop)
  const { pieces, complete } = takeTokens(splitIntoPieces(kept), limit)
  if (!complete) return { content: pieces, calls: [], finish: 'length' }
  return { content: pieces, calls: [], finish: 'stop', ...(stoppedBy !== undefined && { stoppedBy }) }
}

/** Produces a text of `megabytes` million bytes, to test proxies. It ignores the request's limits. */
export function produceFlood(megabytes: number): Produced {
  return {
    content: Array.from({ length: Math.ceil((megabytes * 1e6) / flood.text.length) }, () => flood),
    calls: [],
    finish: 'stop'
  }
}

// Every word starts with a space, so that the tokens of the whole text are the tokens of its parts.
const floodText = ' sandbox'.repeat(2048)
const flood: Piece = { text: floodText, tokens: countTokens(floodText) }

/** Produces tool calls within `limit` tokens. The arguments of the last one may be cut off. */
export function produceCalls(calls: readonly ProducedCall[], limit: number): Produced {
  const produced: ProducedCall[] = []
  let left = limit
  for (const call of calls) {
    if (call.nameTokens > left) return { content: null, calls: produced, finish: 'length' }
    const { pieces, complete } = takeTokens(call.pieces, left - call.nameTokens)
    produced.push({ ...call, pieces })
    if (!complete) return { content: null, calls: produced, finish: 'length' }
    left -= call.nameTokens + sumTokens(pieces)
  }
  return { content: null, calls: produced, finish: 'tool_calls' }
}

/** Counts the tokens of a choice. */
export function countProduced({ content, calls }: Produced): number {
  return sumTokens(content ?? []) + calls.reduce((sum, call) => sum + call.nameTokens + sumTokens(call.pieces), 0)
}

export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('')
}

function sumTokens(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.tokens, 0)
}

function cutAtStop(text: string, stop: string | readonly string[] | null | undefined) {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const found = sequences.filter((sequence) => text.includes(sequence))
  const [first] = found.sort((a, b) => text.indexOf(a) - text.indexOf(b))
  return { kept: first === undefined ? text : text.slice(0, text.indexOf(first)), stoppedBy: first }
}

function takeTokens(pieces: readonly Piece[], limit: number): { pieces: readonly Piece[]; complete: boolean } {
  let left = limit
  for (const [index, piece] of pieces.entries()) {
    if (piece.tokens > left) return { pieces: pieces.slice(0, index), complete: false }
    left -= piece.tokens
  }
  return { pieces, complete: true }
}
